package page

import (
	"archive/tar"
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha512"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// axe-core of npm, and the hash that npm has of it.
const (
	axeFile = "/axe-core/-/axe-core-4.10.3.tgz"
	axeHash = "Xm7bpRXnDSX2YE2YFfBk2FnF0ep6tmG7xPh8iHee8MIcrgq762Nkce856dYtJYLkuIoYZvGfTs/PbZhideTcEg=="
)

// TestAccessible has axe look at the page with everything open: light and dark, on a
// screen and on a phone.
func TestAccessible(t *testing.T) {
	axe := axeScript(t)
	p := newTab(t, quickstart)
	p.do(chromedp.Click(`input[name=show][value=all]`))
	p.frame()
	p.do(chromedp.Evaluate(`document.querySelectorAll("details").forEach((d) => { d.open = true; })`, nil),
		chromedp.Evaluate(`document.querySelector(".choice input[value=local]").click()`, nil))
	p.wants(`String(document.getElementById("decision").hidden)`, "false")
	var none any
	p.do(chromedp.Evaluate(axe, &none, func(e *runtime.EvaluateParams) *runtime.EvaluateParams { return e.WithReturnByValue(false) }))
	for _, scheme := range []string{"light", "dark"} {
		for name, width := range map[string]int64{"screen": 1200, "phone": 375} {
			p.look(width, scheme)
			p.shoot(scheme + "-" + name)
			var found string
			p.do(chromedp.Evaluate(`axe.run(document, {runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}).then((r) => r.passes.length < 20 ? "axe checked only " + r.passes.length + " rules" :
				r.violations.map((v) => v.id + ": " + v.help + ": " + v.nodes.slice(0, 3).map((n) => n.html + " " + n.failureSummary).join("; ")).join("\n"))`, &found, awaited))
			if found != "" {
				t.Errorf("%s, %s:\n%s", scheme, name, found)
			}
			p.wants(`String(document.documentElement.scrollWidth <= window.innerWidth)`, "true")
		}
	}
}

func awaited(e *runtime.EvaluateParams) *runtime.EvaluateParams { return e.WithAwaitPromise(true) }

// axeScript is axe-core, from npm's registry.
func axeScript(t *testing.T) string {
	t.Helper()
	var archive []byte
	var err error
	for try := range 3 {
		time.Sleep(time.Duration(try) * 5 * time.Second)
		if archive, err = download(cmp.Or(os.Getenv("npm_config_registry"), "https://registry.npmjs.org")); err == nil {
			break
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	unzipped, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		t.Fatal(err)
	}
	files := tar.NewReader(unzipped)
	for {
		file, err := files.Next()
		if err != nil {
			t.Fatal(err)
		}
		if file.Name == "package/axe.min.js" {
			script, err := io.ReadAll(files)
			if err != nil {
				t.Fatal(err)
			}
			return string(script)
		}
	}
}

func download(registry string) ([]byte, error) {
	response, err := http.Get(strings.TrimSuffix(registry, "/") + axeFile)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	archive, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	sum := sha512.Sum512(archive)
	if hash := base64.StdEncoding.EncodeToString(sum[:]); hash != axeHash {
		return nil, fmt.Errorf("%s: status %s, and its hash is %s", axeFile, response.Status, hash)
	}
	return archive, nil
}
