package main

import "syscall/js"

func main() {
	js.Global().Set("resourceMerge", js.FuncOf(func(_ js.Value, args []js.Value) any {
		text, told, err := mergeTexts([3]string{args[0].String(), args[1].String(), args[2].String()}, args[3].String() == "local")
		if err != nil {
			return map[string]any{"error": err.Error()}
		}
		return map[string]any{"result": text, "report": told}
	}))
	js.Global().Call("ready")
	select {}
}
