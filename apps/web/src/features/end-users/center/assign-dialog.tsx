import type { EndUserView } from '@thingwright/contracts/end-users.contract'
import { Checkbox, Modal } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { ManySelect } from '../../../ui/thing-pickers.tsx'
import { useToldHandover } from './told-handover.ts'

/** Gives devices to an end user. */
export function AssignDialog({ user, onClose }: { user: EndUserView; onClose: () => void }) {
  const { t } = useTranslation('end-users')
  const [deviceIds, setDeviceIds] = useState<string[]>([])
  const [withHistory, setWithHistory] = useState(true)
  const [withTriggers, setWithTriggers] = useState(false)
  const told = useToldHandover()
  const { run, pending } = useAct('endUsers.assign', {
    touches: ['devices', 'triggers'],
    done: reply => {
      told(reply)
      onClose()
    },
  })
  return (
    <Modal
      open
      width={560}
      title={t('assignTitle', { name: user.name })}
      okText={t('assign')}
      cancelText={t('cancel')}
      okButtonProps={{ loading: pending, disabled: deviceIds.length === 0 }}
      onOk={() => void run({ params: { id: user.id }, body: { deviceIds, withHistory, withTriggers } })}
      onCancel={onClose}
    >
      <p>
        <label htmlFor="assign-devices">{t('assignDevices')}</label>
      </p>
      <ManySelect
        kind="device"
        id="assign-devices"
        value={deviceIds}
        onChange={setDeviceIds}
        disabled={pending}
        placeholder={t('searchDevices')}
      />
      <p>
        <Checkbox checked={withHistory} onChange={event => setWithHistory(event.target.checked)}>
          {t('withHistory')}
        </Checkbox>
      </p>
      <p>
        <Checkbox checked={withTriggers} onChange={event => setWithTriggers(event.target.checked)}>
          {t('withTriggers')}
        </Checkbox>
      </p>
    </Modal>
  )
}
