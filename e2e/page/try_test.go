package page

import (
	"net/http"
	"net/http/httptest"
	"os/exec"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestTry merges three texts in the browser, changes one and the policy, and opens the link with the texts in another tab.
func TestTry(t *testing.T) {
	dir := t.TempDir()
	if out, err := exec.Command("../../.github/try.sh", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	server := httptest.NewServer(http.FileServer(http.Dir(dir)))
	t.Cleanup(server.Close)
	const (
		result = `document.getElementById("result").textContent.match(/replicas: .*|image: .*|limits.*/g).join("; ")`
		report = `document.getElementById("report").textContent.split("\n")[0]`
	)
	p := openTab(t, server.URL+"/")
	p.do(chromedp.Poll(`document.getElementById("result").textContent !== ""`, nil))
	p.wants(result, "replicas: 2 # a pod in each zone; image: nginx:1.27; limits: {memory: 1Gi}}")
	p.wants(report, "merged 1 resource: 1 changed, 0 added, 0 deleted, 0 unchanged; 1 conflict: upstream's value taken")
	p.do(chromedp.SetValue("#prefer", "local"), chromedp.Evaluate(`of("prefer").dispatchEvent(new Event("input"))`, nil))
	p.wants(result, "replicas: 5 # a pod in each zone; image: nginx:1.27; limits: {memory: 1Gi}}")
	p.do(chromedp.Evaluate(`of("origin").value = "a: [\n"; of("origin").dispatchEvent(new Event("input"))`, nil))
	p.shoot("try-light")
	p.do(chromedp.Evaluate(`of("origin").value = of("upstream").value; of("origin").dispatchEvent(new Event("input"))`, nil))
	p.wants(report, "merged 1 resource: 0 changed, 0 added, 0 deleted, 1 unchanged; 0 conflicts")
	p.do(chromedp.Click("#share"), chromedp.Poll(`location.hash.length > 1`, nil))
	link := p.says(`location.href`)

	other := openTab(t, link)
	other.do(chromedp.Poll(`document.getElementById("result").textContent !== ""`, nil))
	other.wants(report, "merged 1 resource: 0 changed, 0 added, 0 deleted, 1 unchanged; 0 conflicts")
	other.wants(`of("origin").value.includes("nginx:1.27") + " " + of("prefer").value`, "true local")
	other.look(400, "dark")
	other.shoot("try-dark")
}
