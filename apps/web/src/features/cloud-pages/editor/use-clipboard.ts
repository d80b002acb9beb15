import { useEffect } from 'react'
import { useSession } from '../../../lib/session.ts'
import { copied, pasted } from './clipboard-content.ts'
import { removed } from './document.ts'
import type { EditorStore } from './store.ts'

const isTyping = () =>
  document.activeElement?.closest('input, textarea, [contenteditable]') !== null &&
  document.activeElement !== document.body

const companyOf = () => useSession.getState().token?.thingwrightAppId ?? ''

/** Copy, cut and paste by the usual keys; what was copied can be put into another page, in another window too. */
export function useClipboard(store: EditorStore, mayWrite: boolean): void {
  useEffect(() => {
    const onCopy = (event: ClipboardEvent) => {
      if (isTyping()) return
      const { scene, selected, change } = store.getState()
      if (selected.size === 0) return
      event.clipboardData?.setData('text/plain', copied(scene, selected, companyOf()))
      event.preventDefault()
      if (event.type === 'cut' && mayWrite) change(removed(scene, selected))
    }
    const onPaste = (event: ClipboardEvent) => {
      if (isTyping() || !mayWrite) return
      const { scene, change } = store.getState()
      const made = pasted(scene, event.clipboardData?.getData('text/plain') ?? '', companyOf())
      if (made) change(made.scene, made.ids)
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
