import { create } from 'zustand'
import { local } from '../../lib/storage.ts'

export type PanelMode = 'floating' | 'docked' | 'full'
export interface Place {
  x: number
  y: number
}

export interface PanelState {
  open: boolean
  mode: PanelMode
  /** Where full screen leads back to. */
  before: Exclude<PanelMode, 'full'>
  /** Upper left corner of the floating window, px; null: beside the button. */
  place: Place | null
  /** The corner that the window docks to. */
  side: 'left' | 'right'
  /** A reply ended while the window was closed. */
  unread: boolean
  /** Upper left corner of the button; null: where it stands by itself. */
  ball: Place | null
}

const CLOSED = { open: false, mode: 'floating', before: 'floating', place: null } as const

function storedBall(): Place | null {
  const stored: Partial<Place> | null = local.get('aiButtonPosition')
  return stored && Number.isFinite(stored.x) && Number.isFinite(stored.y) ? { x: stored.x!, y: stored.y! } : null
}

/** How the assistant stands on the screen; the conversation itself is `chat/chat-store.ts`. */
export const usePanel = create<PanelState>(() => ({ ...CLOSED, side: 'right', unread: false, ball: storedBall() }))

export function openPanel(): void {
  usePanel.setState({ open: true, unread: false })
}

let then: (() => void) | null = null

/**
 * Closing goes back to floating and out of full screen (specification §4). The focus returns to where the window was
 * opened from, unless `instead` takes it elsewhere.
 */
export function closePanel(instead?: () => void): void {
  then = instead ?? null
  usePanel.setState(CLOSED)
}

/** Where the focus goes after closing, when it is not to return; asked for once. */
export function takeFocusInstead(): (() => void) | null {
  const given = then
  then = null
  return given
}

/** A reply has ended: the button says so when nobody saw it. */
export function replyEnded(): void {
  if (!usePanel.getState().open) usePanel.setState({ unread: true })
}

export function keepBall(place: Place): void {
  local.set('aiButtonPosition', place)
  usePanel.setState({ ball: place })
}
