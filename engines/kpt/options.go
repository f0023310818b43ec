package kpt

// Options say which package is updated. They are kpt's Options, field by field.
type Options struct {
	// RelPackagePath is the subpackage below the root, "." for the root itself.
	RelPackagePath string
	// LocalPath is the directory of the user's copy, which is written.
	LocalPath string
	// OriginPath is the directory of the version that the copy was made of, without files
	// if there is none.
	OriginPath string
	// UpdatedPath is the directory of the new version.
	UpdatedPath string
	// IsRoot says that both versions were fetched for the Kptfile in LocalPath.
	IsRoot bool
}

// kptOptions is every type that has the fields of kpt's Options: that of kpt's package
// internal/util/update, of its package updatetypes, and of the copies in Porch.
type kptOptions interface {
	~struct {
		RelPackagePath string
		LocalPath      string
		OriginPath     string
		UpdatedPath    string
		IsRoot         bool
	}
}
