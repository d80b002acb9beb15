import { type ChangeEvent, type CompositionEvent, useState } from 'react'

/**
 * A field whose text is used only when it is whole: while an input method composes, the letters typed for it are shown
 * and told to nobody.
 * @returns what the field takes: its text, and the handlers of its changes
 */
export function useComposedText(value: string, onChange: (value: string) => void) {
  const [draft, setDraft] = useState<string | null>(null)
  return {
    value: draft ?? value,
    onChange(event: ChangeEvent<HTMLInputElement>) {
      const text = event.target.value
      // Some browsers tell of the change before they tell of the composition.
      if (draft !== null || (event.nativeEvent as InputEvent).isComposing) setDraft(text)
      else onChange(text)
    },
    onCompositionStart: (event: CompositionEvent<HTMLInputElement>) => setDraft(event.currentTarget.value),
    onCompositionEnd(event: CompositionEvent<HTMLInputElement>) {
      setDraft(null)
      onChange(event.currentTarget.value)
    },
  }
}

const ITS_OWN = new Set(['Enter', 'Escape', 'ArrowUp', 'ArrowDown', 'Tab'])

/**
 * Keys that belong to an input method choosing characters reach no handler of a page: Enter chooses and sends nothing,
 * Escape gives the letters up and closes nothing. Safari sends the Enter that ends a composition after its end, with the
 * key code 229.
 * @returns how to end it
 */
export function keepComposition(window: Window): () => void {
  const keep = (event: KeyboardEvent) => {
    if ((event.isComposing || event.keyCode === 229) && ITS_OWN.has(event.key)) event.stopImmediatePropagation()
  }
  window.addEventListener('keydown', keep, true)
  return () => window.removeEventListener('keydown', keep, true)
}
