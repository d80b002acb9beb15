import type { DeviceView } from '@thingwright/contracts/devices.contract'
import type { DiagnosisFinding } from '@thingwright/contracts/diagnosis.contract'
import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { call } from '../../../lib/api-client.ts'
import { notify } from '../../../lib/notify.ts'
import { useMay } from '../../../lib/permissions.ts'
import { useCache } from '../../../lib/server-state/cache.ts'
import { only } from '../../../lib/server-state/keys.ts'
import { useWork } from '../../../lib/server-state/use-work.ts'
import { DEVICE_CENTER, DEVICE_LINK, deviceAddress } from '../addresses.ts'
import { useDeviceChanged } from '../hooks.ts'
import css from './diagnose.module.css'

type Fix = DiagnosisFinding['fixes'][number]

const PRODUCT = '/manage/product/ProductSet'

/** Where a fix is made; null: it is done right here, or by somebody else. */
function addressOf(fix: Fix, device: DeviceView, finding: DiagnosisFinding): string | null {
  const product = `id=${encodeURIComponent(device.productId)}`
  switch (fix) {
    case 'open_device_link':
    case 'rotate_secret':
      return deviceAddress(device.id, DEVICE_LINK)
    case 'open_log':
      return `${deviceAddress(device.id)}&tab=messages`
    case 'open_frames':
      return `${deviceAddress(device.id)}&tab=messages&view=frames`
    case 'open_gateway':
      return typeof finding.params.gatewayId === 'string'
        ? deviceAddress(finding.params.gatewayId, DEVICE_CENTER)
        : null
    case 'publish_product':
    case 'open_model':
      return `${PRODUCT}/ProductSetInfo?${product}`
    case 'open_product_link':
      return `${PRODUCT}/ProductSetLink?${product}`
    case 'open_format':
      return `${PRODUCT}/ProductFormat?${product}${finding.hex ? `&frame=${finding.hex.slice(0, 4096)}` : ''}`
    case 'open_company':
      return '/admin/account'
    default:
      return null
  }
}

/** What can be done about a finding: links to where, and buttons for what is one call. */
export function FixButtons({ device, finding }: { device: DeviceView; finding: DiagnosisFinding }) {
  const { t } = useTranslation('diagnose')
  const cache = useCache()
  const changed = useDeviceChanged()
  const { attempt } = useWork()
  const [busy, setBusy] = useState<Fix | null>(null)
  const mayWrite = useMay('devices.enable')
  const mayDelete = useMay('devices.restore')
  const seconds = Number(finding.params.suggestedSeconds ?? 0)

  const actions: Partial<Record<Fix, { allowed: boolean; run: () => Promise<DeviceView | { ok: boolean }> }>> = {
    enable_device: { allowed: mayWrite, run: () => call('devices.enable', { params: { id: device.id } }) },
    restore_device: { allowed: mayDelete, run: () => call('devices.restore', { params: { id: device.id } }) },
    kick: { allowed: mayWrite, run: () => call('devices.kick', { params: { id: device.id } }) },
    raise_offline_delay: {
      allowed: mayWrite && seconds > 0,
      run: () =>
        call('devices.update', {
          params: { id: device.id },
          body: { version: device.version, offlineDelaySeconds: seconds },
        }),
    },
  }
  const run = async (fix: Fix, work: () => Promise<DeviceView | { ok: boolean }>) => {
    setBusy(fix)
    await attempt(async () => {
      const result = await work()
      changed('id' in result ? result : undefined)
      notify.success(t('fixDone'))
      await cache.touch(only('diagnosis.device', { params: { id: device.id } }))
    })
    setBusy(null)
  }
  return (
    <div className={css.fixes}>
      {finding.fixes.map(fix => {
        const action = actions[fix]
        if (action)
          return action.allowed ? (
            <Button
              key={fix}
              size="small"
              type="primary"
              ghost
              loading={busy === fix}
              onClick={() => void run(fix, action.run)}
            >
              {t(`fix.${fix}`, { seconds })}
            </Button>
          ) : null
        const address = addressOf(fix, device, finding)
        return address === null ? (
          <span key={fix} className={css.note}>
            {t(`fix.${fix}`)}
          </span>
        ) : (
          <Link key={fix} to={address} className={css.fixLink}>
            {t(`fix.${fix}`)}
          </Link>
        )
      })}
    </div>
  )
}
