import { type CSSProperties, type KeyboardEvent, type RefObject, useCallback, useEffect, useRef, useState } from 'react'

const GAP = 4
const EDGE = 8

export type PopupAlign = 'start' | 'end'

export interface Popup {
  open: boolean
  show(): void
  /** Closes and hands the focus back to where it was before. */
  close(): void
  button: RefObject<HTMLButtonElement | null>
  panel: RefObject<HTMLDivElement | null>
  style: CSSProperties
  /** Escape closes; Tab beyond the last thing inside closes too. */
  onKeyDown(event: KeyboardEvent): void
}

/** Where a panel stands: under its button, over it when there is no room, never beyond the window. */
export function placeFor(
  button: { left: number; right: number; top: number; bottom: number },
  panel: { width: number; height: number },
  view: { width: number; height: number },
  align: PopupAlign,
): { left: number; top: number; maxHeight: number } {
  const wanted = align === 'end' ? button.right - panel.width : button.left
  const left = Math.max(EDGE, Math.min(wanted, view.width - panel.width - EDGE))
  const below = view.height - button.bottom - GAP - EDGE
  const above = button.top - GAP - EDGE
  const under = panel.height <= below || below >= above
  const maxHeight = Math.max(80, under ? below : above)
  const top = under ? button.bottom + GAP : Math.max(EDGE, button.top - GAP - Math.min(panel.height, maxHeight))
  return { left, top, maxHeight }
}

const FOCUSABLE =
  'a[href], button:not([disabled]), input:not([disabled]), select, textarea, [tabindex]:not([tabindex="-1"])'

/**
 * A panel that hangs on a button. It is drawn at the end of the document, so that no scrolling box cuts it off; a
 * click elsewhere, Escape, a scroll or another size of the window close it.
 */
export function usePopup(align: PopupAlign = 'start'): Popup {
  const [open, setOpen] = useState(false)
  const [style, setStyle] = useState<CSSProperties>({ visibility: 'hidden' })
  const button = useRef<HTMLButtonElement>(null)
  const panel = useRef<HTMLDivElement>(null)
  const close = useCallback(() => {
    setOpen(false)
    setStyle({ visibility: 'hidden' })
    button.current?.focus({ preventScroll: true })
  }, [])
  const show = useCallback(() => setOpen(true), [])

  useEffect(() => {
    if (!open) return
    const place = () => {
      const at = button.current?.getBoundingClientRect()
      const box = panel.current
      if (!at || !box) return
      const view = { width: document.documentElement.clientWidth, height: window.innerHeight }
      setStyle(placeFor(at, { width: box.offsetWidth, height: box.scrollHeight }, view, align))
    }
    place()
    const grown = new ResizeObserver(place)
    if (panel.current) grown.observe(panel.current)
    // Whoever clicks elsewhere has put the focus where he wants it. What opens from inside (a choice list) is inside.
    const elsewhere = (event: Event) => {
      const target = event.target as HTMLElement
      if (panel.current?.contains(target) || button.current?.contains(target)) return
      if (target.closest?.('[data-popup], .ant-select-dropdown, .ant-picker-dropdown')) return
      setOpen(false)
    }
    const scrolled = (event: Event) => {
      if (!panel.current?.contains(event.target as Node)) place()
    }
    document.addEventListener('pointerdown', elsewhere, true)
    document.addEventListener('scroll', scrolled, true)
    window.addEventListener('resize', place)
    return () => {
      grown.disconnect()
      document.removeEventListener('pointerdown', elsewhere, true)
      document.removeEventListener('scroll', scrolled, true)
      window.removeEventListener('resize', place)
    }
  }, [open, align])

  // Once it stands somewhere: what is hidden cannot take the focus.
  const placed = open && style.visibility !== 'hidden'
  useEffect(() => {
    const box = panel.current
    if (!placed || !box || box.contains(document.activeElement)) return
    const first = box.querySelector<HTMLElement>('[role=menuitem]') ?? box.querySelector<HTMLElement>(FOCUSABLE)
    ;(first ?? box).focus({ preventScroll: true })
  }, [placed])

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') {
      event.preventDefault()
      event.stopPropagation()
      close()
    } else if (event.key === 'Tab') {
      const inside = [...(panel.current?.querySelectorAll<HTMLElement>(FOCUSABLE) ?? [])]
      const last = event.shiftKey ? inside[0] : inside.at(-1)
      if (!last || document.activeElement === last) {
        event.preventDefault()
        close()
      }
    }
  }
  return { open, show, close, button, panel, style, onKeyDown }
}
