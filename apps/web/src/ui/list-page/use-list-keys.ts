import { useEffect, useRef } from 'react'

export interface ListKeys {
  keys: readonly string[]
  active: string | null
  setActive: (key: string) => void
  onOpen: (key: string) => void
  onToggle: (key: string) => void
  focusSearch: () => void
}

/** What a pressed key means for a list: the row to stand on, or something to do with the one stood on. */
export function keyMeaning(
  key: string,
  keys: readonly string[],
  active: string | null,
): { move: string } | { open: string } | { toggle: string } | 'search' | null {
  const at = active === null ? -1 : keys.indexOf(active)
  switch (key) {
    case 'j':
      return keys.length === 0 ? null : { move: keys[Math.min(keys.length - 1, at + 1)]! }
    case 'k':
      return keys.length === 0 ? null : { move: keys[Math.max(0, at === -1 ? 0 : at - 1)]! }
    case 'Enter':
      return at === -1 ? null : { open: keys[at]! }
    case 'x':
      return at === -1 ? null : { toggle: keys[at]! }
    case '/':
      return 'search'
    default:
      return null
  }
}

/** j and k move, Enter opens, x selects, / goes to the search; not while typing or under a dialog. */
export function useListKeys(given: ListKeys): void {
  const latest = useRef(given)
  latest.current = given
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isBusy(event)) return
      const list = latest.current
      const meaning = keyMeaning(event.key, list.keys, list.active)
      if (meaning === null) return
      event.preventDefault()
      if (meaning === 'search') list.focusSearch()
      else if ('move' in meaning) list.setActive(meaning.move)
      else if ('open' in meaning) list.onOpen(meaning.open)
      else list.onToggle(meaning.toggle)
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [])
}

const TYPING = 'input:not([type=checkbox]), textarea, select, [contenteditable=true], [role=combobox]'
const OVERLAY =
  '.ant-drawer-open, .ant-modal-wrap, .ant-dropdown:not(.ant-dropdown-hidden), .ant-popover:not(.ant-popover-hidden), [data-popup]'

function isBusy(event: KeyboardEvent): boolean {
  const target = event.target as HTMLElement
  if (target.closest(TYPING)) return true
  if (event.key === 'Enter' && target.closest('a, button, [role=treeitem], [role=tab]')) return true
  return [...document.querySelectorAll<HTMLElement>(OVERLAY)].some(
    overlay => overlay.offsetParent !== null || overlay.getClientRects().length > 0,
  )
}
