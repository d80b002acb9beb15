import { type DeviceTab, registerDeviceTabs } from '../../lib/device-tabs.ts'

/** What areas put into the device centre: `features/<area>/device-tab.ts` exports `deviceTab`, its page downloaded later. */
const found = import.meta.glob('../../features/*/device-tab.ts', { eager: true, import: 'deviceTab' }) as Record<
  string,
  DeviceTab
>
registerDeviceTabs(Object.values(found))
