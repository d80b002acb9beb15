/** Address of the firmware page; `?id=` names a campaign, or `new` for the steps to a new one. */
export const FIRMWARE = '/develop/FirmwareUpdate'

export const NEW_CAMPAIGN = 'new'

export type FirmwareTab = 'campaigns' | 'packages' | 'versions'

const withQuery = (query: Record<string, string | undefined>): string => {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined && value !== '') params.set(name, value)
  const text = params.toString()
  return text === '' ? FIRMWARE : `${FIRMWARE}?${text}`
}

export const listAddress = (tab: FirmwareTab, filters: Record<string, string> = {}) =>
  withQuery({ ...(tab === 'campaigns' ? {} : { tab }), ...filters })
export const campaignAddress = (id: string, more: { tab?: string; state?: string; job?: string } = {}) =>
  withQuery({ id, ...more })
export const packageAddress = (id: string) => withQuery({ tab: 'packages', package: id })

/** The steps to a new campaign, with what is known already. */
export const newCampaignAddress = (
  known: { package?: string; product?: string; from?: string; device?: string } = {},
) => withQuery({ id: NEW_CAMPAIGN, ...known })

export const deviceAddress = (id: string) =>
  `/manage/device/DeviceSet/DeviceCenter?id=${encodeURIComponent(id)}&tab=firmware`
