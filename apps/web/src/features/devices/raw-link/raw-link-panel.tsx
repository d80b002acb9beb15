import type { DeviceView } from '@thingwright/contracts/devices.contract'
import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Reply } from '../../../lib/api-client.ts'
import { notify } from '../../../lib/notify.ts'
import { useMay } from '../../../lib/permissions.ts'
import { useCache } from '../../../lib/server-state/cache.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { CopyId } from '../../../ui/copy-id.tsx'
import { InputNumber } from '../../../ui/input-number.tsx'
import { Facts, Panel } from '../../../ui/panel.tsx'
import { useAccess } from '../link/use-access.ts'
import css from './raw-link.module.css'

/** Products whose devices come in by raw TCP or UDP. */
const RAW_LINKS: ReadonlySet<string> = new Set(['tcp', 'udp', 'modbus_rtu', 'modbus_tcp'])

/** Where a TCP, UDP or Modbus device connects and what it says first; of a polled one also its slave address and cycle. */
export function RawLinkPanel({
  device,
  secret,
}: {
  device: Pick<DeviceView, 'id' | 'productId' | 'productKey' | 'deviceNo' | 'lifecycle'>
  secret: string | null
}) {
  const { t } = useTranslation('raw-link')
  const allowed = useMay('products.get')
  const access = useAccess(device.id)
  const product = useRead('products.get', { params: { id: device.productId } }, { enabled: allowed, staleTime: 60_000 })
  const linkType = product.data?.linkType ?? ''
  const raw = RAW_LINKS.has(linkType)
  const settings = useRead(
    'links.get',
    { params: { id: device.productId } },
    { enabled: allowed && raw, staleTime: 60_000 },
  )
  if (!raw || !access.data || !settings.data) return null
  // What the server makes for this very link: it knows the port of the product's own.
  const { ways, secretPlace } = access.data
  const [way] = ways
  const { register } = settings.data.settings
  const line = (way?.register ?? '').replaceAll(secretPlace, secret ?? secretPlace)
  return (
    <Panel title={t('title')} hint={t(`hint.${linkType}`)}>
      <Facts
        items={[
          { label: t('address'), value: <CopyId value={way?.addresses[0]?.url ?? ''} /> },
          { label: t('port'), value: t(settings.data.port.number === null ? 'shared' : 'own') },
          { label: t('register'), value: register.kind === 'line' ? t('line') : t(`kind.${register.kind}`) },
          { label: t('packet'), value: <CopyId value={`${line}\\r\\n`} />, wide: true },
        ]}
      />
      {register.kind !== 'line' && <p className={css.note}>{t('number', { no: device.deviceNo })}</p>}
      {linkType.startsWith('modbus') && <ModbusOverrides device={device} polling={settings.data.settings.modbus} />}
    </Panel>
  )
}

type Overrides = Reply<'deviceLinks.get'>

function ModbusOverrides({
  device,
  polling,
}: {
  device: Pick<DeviceView, 'id' | 'lifecycle'>
  polling: Reply<'links.get'>['settings']['modbus']
}) {
  const { t } = useTranslation('raw-link')
  const mayWrite = useMay('deviceLinks.set') && device.lifecycle !== 'recycled'
  const cache = useCache()
  const stored = useRead('deviceLinks.get', { params: { id: device.id } })
  const [edited, setEdited] = useState<Overrides | null>(null)
  const set = useAct('deviceLinks.set', {
    done: reply => {
      cache.put('deviceLinks.get', { params: { id: device.id } }, reply)
      setEdited(null)
      notify.success(t('saved'))
    },
  })
  if (!stored.data) return null
  const shown = edited ?? stored.data
  const field = (name: 'slave' | 'cycleSeconds', max: number) => (
    <div className={css.field}>
      <span>{t(name)}</span>
      <InputNumber
        aria-label={t(name)}
        min={1}
        max={max}
        precision={0}
        disabled={!mayWrite}
        value={shown[name] ?? null}
        placeholder={t('asProduct', { value: polling[name] })}
        onChange={value => setEdited({ ...shown, [name]: value })}
      />
    </div>
  )
  return (
    <section className={css.overrides}>
      <h3>{t('polling')}</h3>
      <p className={css.note}>{t('pollingHint')}</p>
      <div className={css.fields}>
        {field('slave', 247)}
        {field('cycleSeconds', 86_400)}
        {edited !== null && (
          <div className={css.actions}>
            <Button onClick={() => setEdited(null)}>{t('discard')}</Button>
            <Button
              type="primary"
              loading={set.pending}
              onClick={() => void set.run({ params: { id: device.id }, body: shown })}
            >
              {t('save')}
            </Button>
          </div>
        )}
      </div>
    </section>
  )
}
