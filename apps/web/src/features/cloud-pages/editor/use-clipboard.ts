import type { SceneNode } from '@thingwright/scene'
import { useEffect } from 'react'
import { copiesOf, removed, withInner } from './document.ts'
import type { EditorStore } from './store.ts'

const MARK = 'thingwright-elements'

const isTyping = () =>
  document.activeElement?.closest('input, textarea, [contenteditable]') !== null &&
  document.activeElement !== document.body

/** Copy, cut and paste by the usual keys; what was copied can be put into another page, in another window too. */
export function useClipboard(store: EditorStore, mayWrite: boolean): void {
  useEffect(() => {
    const onCopy = (event: ClipboardEvent) => {
      if (isTyping()) return
      const { scene, selected, change } = store.getState()
      if (selected.size === 0) return
      const all = withInner(scene, selected)
      event.clipboardData?.setData(
        'text/plain',
        JSON.stringify({ [MARK]: scene.nodes.filter(({ id }) => all.has(id)) }),
      )
      event.preventDefault()
      if (event.type === 'cut' && mayWrite) change(removed(scene, selected))
    }
    const onPaste = (event: ClipboardEvent) => {
      if (isTyping() || !mayWrite) return
      let nodes: SceneNode[] | undefined
      try {
        nodes = (JSON.parse(event.clipboardData?.getData('text/plain') ?? '') as Record<string, SceneNode[]>)[MARK]
      } catch {
        return
      }
      if (!Array.isArray(nodes)) return
      const { scene, change } = store.getState()
      const { scene: next, ids } = copiesOf(scene, nodes, 20, 20)
      change(next, ids)
    }
    document.addEventListener('copy', onCopy)
    document.addEventListener('cut', onCopy)
    document.addEventListener('paste', onPaste)
    return () => {
      document.removeEventListener('copy', onCopy)
      document.removeEventListener('cut', onCopy)
      document.removeEventListener('paste', onPaste)
    }
  }, [store, mayWrite])
}
