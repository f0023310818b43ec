package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/e2e/porch/fleet"
	"github.com/resource-merge/resource-merge/e2e/porch/load"
	"github.com/resource-merge/resource-merge/e2e/porch/wrapper"
)

// clients is the number of clients that send requests at once.
const clients = 64

// measure measures servers over the function, and over one that does nothing, cat.
type measure struct {
	programs wrapper.Programs
	dir      string
	requests int
	only     string // the one table to make, "" for all
}

// tables are all tables, in Markdown.
func (m measure) tables() (string, error) {
	cpus, err := wrapper.CPUs()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, table := range []struct {
		name  string
		write func(*strings.Builder, []int) error
	}{{"cost", m.cost}, {"scaling", m.scaling}, {"level", m.level}} {
		if m.only != "" && m.only != table.name {
			continue
		}
		if err := table.write(&b, cpus); err != nil {
			return "", err
		}
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}

// cost writes the table of a package's cost by its size: the processor time of the server
// and the function, beside a function's that does nothing with the same request.
func (m measure) cost(b *strings.Builder, cpus []int) error {
	b.WriteString("| resources of upstream | request | with `dir` | processor time to that of no merge | with `dir` | milliseconds | with `dir` |\n|---:|---:|---:|---:|---:|---:|---:|\n")
	for _, components := range []int{1, 10, 100} {
		n := m.requests / (20 + components)
		beside, err := m.run(cpus, components, n, "", m.programs.Function)
		if err != nil {
			return err
		}
		nothing, err := m.run(cpus, components, n, "", "cat")
		if err != nil {
			return err
		}
		with, err := m.run(cpus, components, n, m.dir, m.programs.Function)
		if err != nil {
			return err
		}
		fmt.Fprintf(b, "| %d | %s | %s | %.1f | %.1f | %.1f | %.1f |\n", 5*components, kilobytes(beside.bytes), kilobytes(with.bytes),
			ratio(beside.cpu(), nothing.cpu()), ratio(with.cpu(), nothing.cpu()), beside.cpu()/1e6, with.cpu()/1e6)
	}
	b.WriteString("\n")
	return nil
}

// scaling is the table of how many requests a second two processors take more than one.
func (m measure) scaling(b *strings.Builder, cpus []int) error {
	if len(cpus) < 2 {
		return errors.New("scaling needs two processors")
	}
	b.WriteString("| upstream | requests a second of two processors to those of one |\n|---|---:|\n")
	for _, where := range []struct{ name, dir string }{{"in the list", ""}, {"in `dir`", m.dir}} {
		one, err := m.run(cpus[:1], 2, m.requests/10, where.dir, m.programs.Function)
		if err != nil {
			return err
		}
		two, err := m.run(cpus[:2], 2, m.requests/10, where.dir, m.programs.Function)
		if err != nil {
			return err
		}
		fmt.Fprintf(b, "| %s | %.2f |\n", where.name, ratio(float64(one.Time), float64(two.Time)))
	}
	b.WriteString("\n")
	return nil
}

// level is the table of the memory under load.
func (m measure) level(b *strings.Builder, cpus []int) error {
	fmt.Fprintf(b, "| %d requests of %d clients, upstream | right answers | the most memory of the server, last third to first | of its children |\n|---|---:|---:|---:|\n", m.requests, clients)
	for _, where := range []struct{ name, dir string }{{"in the list", ""}, {"in `dir`", m.dir}} {
		out, err := m.run(cpus, 2, m.requests, where.dir, m.programs.Function)
		if err != nil {
			return err
		}
		third := len(out.Usage) / 3
		first, last := out.Usage[:third], out.Usage[len(out.Usage)-third:]
		server := func(u wrapper.Usage) int64 { return u.Server }
		children := func(u wrapper.Usage) int64 { return u.Children }
		fmt.Fprintf(b, "| %s | %d | %.2f | %.2f |\n", where.name, out.Right,
			ratio(float64(most(last, server)), float64(most(first, server))), ratio(float64(most(last, children)), float64(most(first, children))))
	}
	return nil
}

// measured is a load, and how large its requests are.
type measured struct {
	load.Outcome
	bytes, requests int
}

// cpu is the processor time of a request, in nanoseconds.
func (m measured) cpu() float64 { return float64(m.CPU) / float64(m.requests) }

// run sends so many requests of 20 copies to a server over a function.
func (m measure) run(cpus []int, components, requests int, dir, function string) (measured, error) {
	var all []load.Request
	for i := range 20 {
		list, err := fleet.Numbered(i, components, dir, "")
		if err != nil {
			return measured{}, err
		}
		want := list
		if function == m.programs.Function {
			if want, err = m.programs.Alone(list); err != nil {
				return measured{}, err
			}
		}
		all = append(all, load.Request{List: list, Want: want})
	}
	server, err := wrapper.Start(m.programs.Server, cpus, function)
	if err != nil {
		return measured{}, err
	}
	out, err := load.Run(context.Background(), server, all, requests, clients)
	return measured{out, len(all[0].List), requests}, errors.Join(append(slices.Clone(out.Faults), err, server.Stop())...)
}

// most is the most that any of some samples has.
func most(samples []wrapper.Usage, bytes func(wrapper.Usage) int64) int64 {
	var out int64
	for _, s := range samples {
		out = max(out, bytes(s))
	}
	return out
}

func ratio(a, b float64) float64 { return a / max(b, 1) }

func kilobytes(n int) string { return fmt.Sprintf("%d KB", (n+512)/1024) }
