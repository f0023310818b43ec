package bench

import (
	"encoding/json"

	"go.yaml.in/yaml/v3"
)

func toJSON(list []byte) ([]byte, error) {
	var value any
	if err := yaml.Unmarshal(list, &value); err != nil {
		return nil, err
	}
	return json.Marshal(value)
}
