import type { DeviceView } from '@thingwright/contracts/devices.contract'
import { Collapse, InputNumber, Switch } from 'antd'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Body } from '../../../lib/api-client.ts'
import { LazySelect } from '../../../ui/lazy-select/lazy-select.tsx'
import shared from '../devices.module.css'
import css from './commands.module.css'

/** What is chosen beside a command, added to its request when it is sent. */
export type Chosen = () => Pick<Body<'commands.create'>, 'lora' | 'expiresAt'>

/** How long a command may wait, seconds; 0: for ever at the network server. */
const WAITS = [0, 600, 3_600, 21_600, 86_400] as const
const LAST_PORT = 223

/** How commands go down to a LoRaWAN device: port, acknowledgement and how long they wait; nothing for other devices. */
export function useLoraWay(device: Pick<DeviceView, 'linkType'>): { fields: ReactNode; chosen: Chosen } {
  const { t } = useTranslation('devices')
  const [port, setPort] = useState<number | null>(null)
  const [confirmed, setConfirmed] = useState(true)
  const [wait, setWait] = useState<number>(0)
  if (device.linkType !== 'lorawan') return { fields: null, chosen: () => ({}) }
  const fields = (
    <Collapse
      size="small"
      items={[
        {
          key: 'lora',
          label: t('loraWay.title'),
          children: (
            <div className={css.loraWay}>
              <div>
                <span>{t('loraWay.port')}</span>
                <InputNumber
                  aria-label={t('loraWay.port')}
                  min={1}
                  max={LAST_PORT}
                  precision={0}
                  value={port}
                  placeholder={t('loraWay.portUsual')}
                  onChange={setPort}
                />
              </div>
              <div>
                <span>{t('loraWay.confirmed')}</span>
                <Switch checked={confirmed} onChange={setConfirmed} aria-label={t('loraWay.confirmed')} />
              </div>
              <p className={shared.hint}>{t(confirmed ? 'loraWay.confirmedHint' : 'loraWay.unconfirmedHint')}</p>
              <div>
                <span>{t('loraWay.wait')}</span>
                <LazySelect
                  aria-label={t('loraWay.wait')}
                  value={String(wait)}
                  options={WAITS.map(value => ({ value: String(value), label: t(`loraWay.waits.${value}`) }))}
                  onChange={next => setWait(Number(next))}
                />
              </div>
            </div>
          ),
        },
      ]}
    />
  )
  return {
    fields,
    chosen() {
      const lora = {
        ...(port === null ? {} : { port }),
        ...(confirmed ? {} : { confirmed }),
        ...(wait === 0 ? {} : { expires: true }),
      }
      return {
        ...(Object.keys(lora).length === 0 ? {} : { lora }),
        ...(wait === 0 ? {} : { expiresAt: new Date(Date.now() + wait * 1_000).toISOString() }),
      }
    },
  }
}
