import type { DeviceView } from '@thingwright/contracts/devices.contract'
import type { DiagnosisFinding } from '@thingwright/contracts/diagnosis.contract'
import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { notify } from '../../../lib/notify.ts'
import { useMay } from '../../../lib/permissions.ts'
import { only } from '../../../lib/server-state/keys.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { groupsOf } from '../../../ui/group-tree/use-groups.ts'
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
    case 'open_alarms':
      return `${deviceAddress(device.id, DEVICE_CENTER)}&tab=alarms`
    case 'open_triggers':
      return `${deviceAddress(device.id, DEVICE_CENTER)}&tab=triggers`
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
    case 'open_sim_card':
      return `/flowCard/${finding.params.carrier === 'ctcc' ? 'Ctcc' : 'Cmcc'}FlowCard?card=${String(finding.params.cardId)}`
    case 'open_cameras':
      return `${deviceAddress(device.id, DEVICE_CENTER)}&tab=camera`
    case 'open_lora':
      return `${deviceAddress(device.id)}&tab=lora`
    case 'open_company':
      return '/admin/account'
    default:
      return null
  }
}

/** What can be done about a finding: links to where, and buttons for what is one call. */
export function FixButtons({ device, finding }: { device: DeviceView; finding: DiagnosisFinding }) {
  const { t } = useTranslation('diagnose')
  const changed = useDeviceChanged()
  const told = {
    touches: [groupsOf('device'), only('diagnosis.device', { params: { id: device.id } })],
    done: (reply: DeviceView | { ok: boolean }) => {
      if ('id' in reply) changed(reply)
      notify.success(t('fixDone'))
    },
  }
  const enable = useAct('devices.enable', told)
  const restore = useAct('devices.restore', told)
  const kick = useAct('devices.kick', told)
  const update = useAct('devices.update', told)
  const mayWrite = useMay('devices.enable')
  const mayDelete = useMay('devices.restore')
  const seconds = Number(finding.params.suggestedSeconds ?? 0)

  const params = { id: device.id }
  const actions: Partial<Record<Fix, { allowed: boolean; pending: boolean; run: () => Promise<unknown> }>> = {
    enable_device: { allowed: mayWrite, pending: enable.pending, run: () => enable.run({ params }) },
    restore_device: { allowed: mayDelete, pending: restore.pending, run: () => restore.run({ params }) },
    kick: { allowed: mayWrite, pending: kick.pending, run: () => kick.run({ params }) },
    raise_offline_delay: {
      allowed: mayWrite && seconds > 0,
      pending: update.pending,
      run: () => update.run({ params, body: { version: device.version, offlineDelaySeconds: seconds } }),
    },
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
              loading={action.pending}
              onClick={() => void action.run()}
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
