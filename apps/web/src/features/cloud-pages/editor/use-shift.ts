import { type RefObject, useLayoutEffect, useRef } from 'react'

/** Elements that are being dragged, and how far they are from where the document has them, in pixels of the page. */
export interface Shift {
  ids: ReadonlySet<string>
  dx: number
  dy: number
}

/**
 * Shows elements elsewhere by a style of their own while they are dragged: their pictures stay as they are, and nothing of
 * a large page is rendered for each move of the pointer.
 * @param within what holds the elements of the page
 * @param shift null: everything is where the document has it
 */
export function useShift(within: RefObject<HTMLElement | null>, shift: Shift | null): void {
  const held = useRef<{ ids: ReadonlySet<string>; elements: HTMLElement[] }>({ ids: new Set(), elements: [] })
  useLayoutEffect(() => {
    const ids = shift?.ids ?? new Set<string>()
    if (held.current.ids !== ids) {
      for (const element of held.current.elements) element.style.translate = ''
      const all = ids.size === 0 ? [] : (within.current?.querySelectorAll<HTMLElement>('[data-node]') ?? [])
      held.current = { ids, elements: [...all].filter(({ dataset }) => ids.has(dataset.node!)) }
    }
    if (!shift) return
    const translate = `${shift.dx}px ${shift.dy}px`
    for (const element of held.current.elements) element.style.translate = translate
  }, [within, shift])
}
