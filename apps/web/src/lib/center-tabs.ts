import type { ComponentType } from 'react'
import type { Operation } from './api-client.ts'

/**
 * A tab that an area brings to the centre of an end user: `features/<area>/center-tabs.ts` exports them as `centerTabs`.
 * Its word stands in the texts of the centre under `center_tab.<key>`.
 */
export interface CenterTab {
  key: string
  /** What it reads first: who may not call that is not shown the tab. */
  of: Operation
  /** Only an end user's own centre has it. */
  ownOnly?: boolean
  /** @returns the component; `userId` is null in the caller's own centre */
  load: () => Promise<{ Component: ComponentType<{ userId: string | null }> }>
}

const tabs: CenterTab[] = []

/** Hands over the tabs of all areas; called once by the console's frame. */
export function registerCenterTabs(found: readonly CenterTab[]): void {
  tabs.splice(0, tabs.length, ...found)
}

/** The tabs that areas brought. */
export function centerTabs(): readonly CenterTab[] {
  return tabs
}
