package report

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/url"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge"
)

// sarifRun is the run of a tool, in a log of SARIF.
type sarifRun struct {
	Tool struct {
		Driver struct {
			Name           string      `json:"name"`
			InformationURI string      `json:"informationUri"`
			Rules          []sarifRule `json:"rules"`
		} `json:"driver"`
	} `json:"tool"`
	ColumnKind string        `json:"columnKind"`
	Results    []sarifResult `json:"results"`
}

type sarifRule struct {
	ID    string    `json:"id"`
	Short sarifText `json:"shortDescription"`
	Help  sarifText `json:"help"`
}

type sarifText struct {
	Text string `json:"text"`
}

type sarifResult struct {
	RuleID       string            `json:"ruleId"`
	Level        string            `json:"level"`
	Message      sarifText         `json:"message"`
	Locations    []sarifLocation   `json:"locations,omitempty"`
	Fingerprints map[string]string `json:"partialFingerprints,omitempty"`
	Properties   map[string]any    `json:"properties,omitempty"`
}

type sarifLocation struct {
	Physical *sarifPhysical `json:"physicalLocation,omitempty"`
	Logical  []sarifLogical `json:"logicalLocations,omitempty"`
}

type sarifPhysical struct {
	Artifact struct {
		URI string `json:"uri"`
	} `json:"artifactLocation"`
	Region struct {
		StartLine int `json:"startLine"`
	} `json:"region"`
}

type sarifLogical struct {
	Name      string `json:"name,omitempty"`
	Qualified string `json:"fullyQualifiedName,omitempty"`
	Kind      string `json:"kind,omitempty"`
}

// noticeRule is the rule of notices, and stepRule that of the steps of an apply.
const (
	noticeRule = "notice"
	stepRule   = "step"
)

// writeSARIF writes the report as results of static analysis, version 2.1.0, which code scanning shows
// (rules/reports: formats). The rule of a conflict is its kind.
func writeSARIF(w io.Writer, r *Report) error {
	run := sarifRun{ColumnKind: "unicodeCodePoints", Results: []sarifResult{}}
	driver := &run.Tool.Driver
	driver.Name, driver.InformationURI, driver.Rules = "resource-merge", "https://github.com/resource-merge/resource-merge", sarifRules()
	for _, it := range r.Resources {
		for _, c := range it.Conflicts {
			run.Results = append(run.Results, sarifConflict(r, it, c))
		}
	}
	for _, s := range r.steps {
		run.Results = append(run.Results, sarifStep(s))
	}
	for _, n := range r.Notices {
		run.Results = append(run.Results, sarifNotice(n))
	}
	return encodeJSON(w, struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}{"https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json", "2.1.0", []sarifRun{run}})
}

func sarifRules() []sarifRule {
	const (
		decide = "The result has one side's version. Set the other, or decide by a rule of conflicts.rules of the function config."
		change = "Change config, or the live object."
	)
	var out []sarifRule
	for _, rule := range [][3]string{
		{string(merge.BothChanged), "Upstream and local changed a value, differently.", decide},
		{string(merge.UpstreamDeleted), "Upstream deleted a value or resource that you had changed.", decide},
		{string(merge.LocalDeleted), "You had deleted a value or resource that upstream changed.", decide},
		{string(merge.KindChanged), "Upstream and local changed a value, to different kinds of value.", decide},
		{string(merge.Order), "Upstream and local reordered a list, differently.", decide},
		{string(merge.NoOrigin), "Upstream and local have different values, and there is no origin.", decide},
		{string(merge.DuplicateKey), "Upstream and local changed elements of a list without unique keys.", decide},
		{string(merge.CommentChanged), "Upstream and local changed a comment, differently.", decide},
		{string(merge.Drift), "An apply overwrites a value that somebody changed in the cluster.", change},
		{string(merge.Owned), "A server-side apply sets a field that another manager owns.", change},
		{string(merge.Refused), "The server would refuse the applied object.", change},
		{stepRule, "The effect of an apply on an object.", "Read the plan."},
		{noticeRule, "A message that is not about a conflict.", "Read the message."},
	} {
		out = append(out, sarifRule{rule[0], sarifText{rule[1]}, sarifText{rule[2]}})
	}
	return out
}

func sarifConflict(r *Report, it *Resource, c *Conflict) sarifResult {
	properties := map[string]any{
		r.Sides[identity.Origin]: c.Values[identity.Origin].Line, r.Sides[identity.Upstream]: c.Values[identity.Upstream].Line,
		r.Sides[identity.Local]: c.Values[identity.Local].Line,
		"resource":              it.Subject, "path": c.Path, "chosen": c.Chosen,
	}
	if c.Rule != nil {
		properties["rule"] = c.Rule
	}
	return sarifResult{
		RuleID: c.Kind, Level: c.Severity, Message: sarifText{c.Message},
		Locations:    sarifPlace(c.File, c.Line, it.Subject, c.Path),
		Fingerprints: map[string]string{"conflict/v1": fingerprint(c.Kind, it.Subject, it.File, c.Path)},
		Properties:   properties,
	}
}

// sarifStep returns a step of an apply as a result.
func sarifStep(s step) sarifResult {
	return sarifResult{
		RuleID: stepRule, Level: levelFor(s.severity(), "note"), Message: sarifText{s.sentence},
		Locations:    sarifPlace(s.file, s.line, s.subject(), ""),
		Fingerprints: map[string]string{"step/v1": fingerprint(s.Action, s.Group, s.subject())},
	}
}

func sarifNotice(n Notice) sarifResult {
	return sarifResult{
		RuleID: noticeRule, Level: levelFor(n.Severity, "note"), Message: sarifText{n.Message},
		Locations:    sarifPlace(n.File, n.Line, n.Resource, n.Path),
		Fingerprints: map[string]string{"notice/v1": fingerprint(n.Message, n.File)},
	}
}

// sarifPlace returns the location of a finding in a file and in a resource.
func sarifPlace(file string, line int, resource, path string) []sarifLocation {
	var at sarifLocation
	if file != "" {
		at.Physical = &sarifPhysical{}
		at.Physical.Artifact.URI, at.Physical.Region.StartLine = (&url.URL{Path: file}).String(), max(line, 1) // code scanning wants a line
	}
	if resource != "" {
		at.Logical = append(at.Logical, sarifLogical{Name: resource, Kind: "resource"})
	}
	if path != "" {
		at.Logical = append(at.Logical, sarifLogical{Qualified: path, Kind: "member"})
	}
	if at.Physical == nil && at.Logical == nil {
		return nil
	}
	return []sarifLocation{at}
}

// fingerprint identifies a finding, also after its line has changed.
func fingerprint(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		io.WriteString(h, p+"\x00")
	}
	return hex.EncodeToString(h.Sum(nil))[:32]
}
