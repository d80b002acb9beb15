import type { DeviceView } from '@thingwright/contracts/devices.contract'
import type { ComponentType } from 'react'
import type { Operation } from './api-client.ts'

/** What a tab of the device centre is told about the device it stands for. */
export interface DeviceTabProps {
  deviceId: string
}

/**
 * A tab that an area brings to the device centre: `features/<area>/device-tab.ts` exports it as `deviceTab`. Its word
 * stands in the shell's texts under `deviceTab.<key>`, so that it is there before the tab is downloaded.
 */
export interface DeviceTab {
  key: string
  /** What it reads first: who may not call that is not shown the tab. */
  of: Operation
  /** What it shows instead to who may not call that. */
  or?: Operation
  /** Only of devices that connect this way; absent: of all. */
  linkType?: DeviceView['linkType']
  load: () => Promise<{ Component: ComponentType<DeviceTabProps> }>
}

const tabs: DeviceTab[] = []

/** Hands over the tabs of all areas; called once by the console's frame. */
export function registerDeviceTabs(found: readonly DeviceTab[]): void {
  tabs.splice(0, tabs.length, ...found)
}

/** The tabs that other areas brought. */
export function deviceTabs(): readonly DeviceTab[] {
  return tabs
}
