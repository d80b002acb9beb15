import type { ComponentType } from 'react'
import type { Operation } from './api-client.ts'

/**
 * A tab that an area brings to the company account: `features/<area>/company-tab.ts` exports it as `companyTab`. Its
 * word stands in the texts of the account page under `tab.<key>`.
 */
export interface CompanyTab {
  key: string
  /** What it reads first: who may not call that is not shown the tab. */
  of: Operation
  load: () => Promise<{ Component: ComponentType }>
  /** Whether this address is a page of its own (a list with its own head) below the tab. */
  wholePage?: (search: URLSearchParams) => boolean
}

const tabs: CompanyTab[] = []

/** Hands over the tabs of all areas; called once by the console's frame. */
export function registerCompanyTabs(found: readonly CompanyTab[]): void {
  tabs.splice(0, tabs.length, ...found)
}

/** The tabs that areas brought. */
export function companyTabs(): readonly CompanyTab[] {
  return tabs
}
