// Package page looks at the report of a merge in a browser, and clicks through it
// (design 19).
package page
