import type { DeviceWithSecret } from '@thingwright/contracts/devices.contract'
import { Button, Input } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { useAct } from '../../../lib/server-state/use-act.ts'
import css from '../start.module.css'

/** A device that was just made: its secret is known until the page is left. */
export type Added = Pick<DeviceWithSecret, 'id' | 'name' | 'deviceNo' | 'productKey' | 'deviceSecret'>

/** A device is its name; the rest is made for it. */
export function DeviceStep({ productId, onAdded }: { productId: string; onAdded: (device: Added) => void }) {
  const { t } = useTranslation('start')
  const [name, setName] = useState('')
  const create = useAct('devices.create', { touches: ['statistics', 'audit.list'], done: onAdded })
  const add = () => void create.run({ body: { productId, name: name.trim() || t('device.first') } })
  return (
    <>
      <p>{t('device.text')}</p>
      <form
        className={css.form}
        onSubmit={event => {
          event.preventDefault()
          add()
        }}
      >
        <Input
          className={css.wide ?? ''}
          aria-label={t('device.name')}
          placeholder={t('device.first')}
          maxLength={64}
          value={name}
          onChange={event => setName(event.target.value)}
        />
        <Button type="primary" htmlType="submit" loading={create.pending}>
          {t('device.add')}
        </Button>
        <Link to="/manage/device">{t('device.table')}</Link>
      </form>
    </>
  )
}
