package page

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// quickstart is the page of the quickstart's merge.
const quickstart = "../../report/testdata/quickstart.html"

const (
	count   = `document.getElementById("count").textContent`
	visible = `Array.from(document.querySelectorAll(".resource"), (r) => r.hidden ? "" : r.querySelector(".subject").textContent).filter(Boolean).join(", ")`
	rules   = `document.getElementById("rules").value`
)

// TestFilters checks the filters of the page.
func TestFilters(t *testing.T) {
	p := newTab(t, quickstart)
	p.wants(count, "5 of 9")
	p.do(chromedp.Click(`input[name=show][value=all]`))
	p.wants(count, "9 of 9")
	p.do(chromedp.SetValue("#kind", "Service"), chromedp.Evaluate(`document.getElementById("kind").dispatchEvent(new Event("input", {bubbles: true}))`, nil))
	p.wants(visible, "Service shop/shop-wordpress-metrics, Service shop/shop-mysql, Service shop/shop-wordpress")
	p.do(chromedp.SendKeys("#text", "MySQL.yaml"))
	p.wants(visible, "Service shop/shop-mysql")
	p.do(chromedp.SetValue("#kind", "*"), chromedp.Click(`input[name=show][value=conflicts]`))
	p.wants(visible, "")
	p.do(chromedp.Evaluate(`document.getElementById("text").value = ""`, nil), chromedp.SendKeys("#text", " "))
	p.wants(visible, "Deployment shop/shop-wordpress")
	p.wants(count, "1 of 9")
}

// TestDecide goes to a conflict by the keyboard, chooses local's value, copies the rule,
// and gives it to the function, which then decides so.
func TestDecide(t *testing.T) {
	p := newTab(t, quickstart)
	p.do(browser.SetPermission(&browser.PermissionDescriptor{Name: "clipboard-write"}, browser.PermissionSettingGranted),
		browser.SetPermission(&browser.PermissionDescriptor{Name: "clipboard-read"}, browser.PermissionSettingGranted))
	p.do(chromedp.Click(`input[name=show][value=conflicts]`))
	p.wants(visible, "Deployment shop/shop-wordpress")
	p.wants(`String(document.querySelector(".resource:not([hidden]) > details").open)`, "true")
	p.do(chromedp.KeyEvent("n"))
	p.wants(`document.activeElement.className`, "conflict")
	p.wants(`Array.from(document.querySelectorAll(".value"), (v) => v.querySelector("h4").textContent + ": " + v.querySelector("pre").textContent).join("; ")`, "origin: 10; upstream (taken): 15; local: 20")
	p.wants(`String(document.getElementById("decision").hidden)`, "true")
	p.do(chromedp.Focus(`.choice input[value=upstream]`), chromedp.KeyEvent(kb.ArrowDown))
	p.wants(`document.getElementById("decided").textContent`, "1 rule from your choices")
	p.do(chromedp.Click("#decision summary"))
	whole := p.says(rules)
	p.do(chromedp.Click("#copy"))
	p.wants(`document.getElementById("copy").textContent`, "Copied")
	var clipboard string
	p.do(chromedp.Evaluate(`navigator.clipboard.readText()`, &clipboard, awaited))
	if clipboard != whole {
		t.Errorf("copied is %q, and shown is %q", clipboard, whole)
	}
	checkDecided(t, clipboard)
	p.do(chromedp.Click(`.choice input[value=upstream]`))
	p.wants(`String(document.getElementById("decision").hidden)`, "true")
}

// checkDecided gives a function config to the function, which keeps local's value by it.
func checkDecided(t *testing.T, config string) {
	t.Helper()
	list, err := os.ReadFile("../../testdata/quickstart/input.yaml")
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), "resource-merge")
	build := exec.Command("go", "build", "-o", program, ".")
	build.Dir, build.Env = "../..", append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var indented strings.Builder
	for line := range strings.Lines(config) {
		indented.WriteString("  " + line)
	}
	run := exec.Command(program)
	run.Stdin = strings.NewReader(string(list) + "functionConfig:\n" + indented.String())
	out, err := run.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{"1 conflict: your value kept", "periodSeconds: 20", "chosen: local"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("the function does not say %q with\n%s\n%s", want, config, out)
		}
	}
}

// TestManyResources filters a page that has the quickstart's resources a thousand times.
func TestManyResources(t *testing.T) {
	text, err := os.ReadFile(quickstart)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, found := strings.Cut(string(text), `class="resources">`)
	list, foot, ended := strings.Cut(rest, "</ol>")
	if !found || !ended {
		t.Fatal("the page has no list")
	}
	file := filepath.Join(t.TempDir(), "many.html")
	if err := os.WriteFile(file, []byte(head+`class="resources">`+strings.Repeat(list, 200)+"</ol>"+foot), 0o644); err != nil {
		t.Fatal(err)
	}
	p := newTab(t, file)
	p.wants(count, "1000 of 1800")
	p.do(chromedp.SendKeys("#text", "shop-wordpress-config"))
	p.wants(count, "200 of 1800")
	t.Log(p.says(`"interactive after " + Math.round(performance.getEntriesByType("navigation")[0].domInteractive) + " ms, loaded after " + Math.round(performance.getEntriesByType("navigation")[0].loadEventEnd) + " ms"`))
	var filtered string
	p.do(chromedp.Evaluate(`new Promise((done) => {
		const start = performance.now();
		document.getElementById("text").value = "";
		document.getElementById("filters").dispatchEvent(new Event("input"));
		requestAnimationFrame(() => setTimeout(() => done("filtered in " + Math.round(performance.now() - start) + " ms")));
	})`, &filtered, awaited))
	t.Log(filtered)
	p.do(chromedp.Click("#expand"))
	p.wants(`String(document.querySelectorAll(".resource:not([hidden]) > details[open]").length)`, "1000")
}
