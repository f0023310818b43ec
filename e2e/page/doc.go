// Package page looks at the report of a merge in a browser, and clicks through it
// (rules/reports: the page).
package page
