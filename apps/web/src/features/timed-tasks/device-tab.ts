import type { DeviceTab } from '../../lib/device-tabs.ts'
import { loadTexts } from '../../lib/i18n.ts'

/** Timed tasks that act on one device, in the device centre. */
export const deviceTab: DeviceTab = {
  key: 'timed-tasks',
  of: 'timedTasks.list',
  load: async () => {
    const [tab] = await Promise.all([import('./device/device-tasks-tab.tsx'), loadTexts('timed-tasks')])
    return { Component: tab.DeviceTasksTab }
  },
}
