import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { javascript } from '@codemirror/lang-javascript'
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from '@codemirror/language'
import { EditorState } from '@codemirror/state'
import { EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { useEffect, useRef } from 'react'
import css from './code-editor.module.css'

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword], color: 'var(--tw-code-keyword)' },
  { tag: [tags.string, tags.regexp], color: 'var(--tw-code-string)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--tw-code-number)' },
  { tag: tags.comment, color: 'var(--tw-text-3)', fontStyle: 'italic' },
  { tag: tags.function(tags.variableName), color: 'var(--tw-code-function)' },
])

/** A small JavaScript editor. Escape and then Tab leaves it by keyboard. */
export function CodeEditor({
  label,
  value,
  readOnly,
  onChange,
}: {
  label: string
  value: string
  readOnly: boolean
  onChange: (value: string) => void
}) {
  const place = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView | null>(null)
  const tell = useRef(onChange)
  tell.current = onChange
  const first = useRef(value)
  useEffect(() => {
    if (!place.current) return
    const editor = new EditorView({
      parent: place.current,
      state: EditorState.create({
        doc: first.current,
        extensions: [
          lineNumbers(),
          history(),
          indentOnInput(),
          bracketMatching(),
          highlightActiveLine(),
          javascript(),
          syntaxHighlighting(colours),
          keymap.of([...defaultKeymap, ...historyKeymap, indentWithTab]),
          EditorState.readOnly.of(readOnly),
          EditorView.editable.of(!readOnly),
          EditorView.contentAttributes.of({ 'aria-label': label }),
          EditorView.updateListener.of(update => {
            if (update.docChanged) tell.current(update.state.doc.toString())
          }),
        ],
      }),
    })
    view.current = editor
    return () => editor.destroy()
  }, [label, readOnly])
  useEffect(() => {
    const editor = view.current
    first.current = value
    // Typed here: the text is there already.
    if (!editor || editor.state.doc.toString() === value) return
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value } })
  }, [value])
  return <div ref={place} className={css.editor} dir="ltr" data-testid="code-editor" />
}
