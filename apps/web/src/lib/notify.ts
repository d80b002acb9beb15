import { create } from 'zustand'

export type NoticeKind = 'info' | 'success' | 'warning' | 'error'

export interface Notice {
  id: number
  kind: NoticeKind
  text: string
  /** Small print that can be copied, such as an error code and a request id. */
  detail?: string
  durationMs: number
}

const MAX = 3
const DURATION = { info: 3000, success: 2500, warning: 4000, error: 6000 } as const
let counter = 0

/** The notices on the screen, oldest first, three at most. Drawn by the root layout. */
export const useNotices = create<{ notices: Notice[] }>(() => ({ notices: [] }))

export function dismiss(id: number): void {
  useNotices.setState(s => ({ notices: s.notices.filter(n => n.id !== id) }))
}

function show(kind: NoticeKind, text: string, options: { durationMs?: number; detail?: string } = {}): number {
  const id = ++counter
  const notice: Notice = { id, kind, text, durationMs: options.durationMs ?? DURATION[kind] }
  if (options.detail !== undefined) notice.detail = options.detail
  // The same words again replace the older notice instead of piling up.
  useNotices.setState(s => ({ notices: [...s.notices.filter(n => n.text !== text), notice].slice(-MAX) }))
  return id
}

/** Short messages at the top of the page; may be called from anywhere, before the page is drawn as well. */
export const notify = {
  info: (text: string, options?: { durationMs?: number; detail?: string }) => show('info', text, options),
  success: (text: string, options?: { durationMs?: number; detail?: string }) => show('success', text, options),
  warning: (text: string, options?: { durationMs?: number; detail?: string }) => show('warning', text, options),
  error: (text: string, options?: { durationMs?: number; detail?: string }) => show('error', text, options),
}
