import type { DeviceView } from '@thingwright/contracts/devices.contract'
import type { EndUserView } from '@thingwright/contracts/end-users.contract'
import { Checkbox, Modal } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { UserSelect } from '../forms/user-select.tsx'
import { useToldHandover } from './told-handover.ts'

/** Takes devices back from an end user, or hands them over to another one. */
export function MoveDialog({
  user,
  devices,
  what,
  onClose,
}: {
  user: EndUserView
  devices: readonly DeviceView[]
  what: 'takeBack' | 'transfer'
  onClose: () => void
}) {
  const { t } = useTranslation('end-users')
  const [to, setTo] = useState<string | null>(null)
  const [withHistory, setWithHistory] = useState(true)
  const [withTriggers, setWithTriggers] = useState(true)
  const told = useToldHandover()
  const done = (reply: Parameters<typeof told>[0]) => {
    told(reply)
    onClose()
  }
  const takeBack = useAct('endUsers.takeBack', { touches: ['devices', 'triggers'], done })
  const transfer = useAct('endUsers.transfer', { touches: ['devices', 'triggers'], done })
  const deviceIds = devices.map(device => device.id)
  const params = { id: user.id }
  const send = () =>
    what === 'takeBack'
      ? takeBack.run({ params, body: { deviceIds } })
      : transfer.run({ params, body: { to: to!, deviceIds, withHistory, withTriggers } })
  return (
    <Modal
      open
      width={520}
      title={t(`${what}Title`, { count: devices.length, name: user.name })}
      okText={t(what)}
      cancelText={t('cancel')}
      okButtonProps={{
        danger: what === 'takeBack',
        loading: takeBack.pending || transfer.pending,
        disabled: what === 'transfer' && to === null,
      }}
      onOk={() => void send()}
      onCancel={onClose}
    >
      <p>{t(`${what}Text`)}</p>
      {what === 'transfer' && (
        <>
          <p>
            <label htmlFor="transfer-to">{t('transferTo')}</label>
          </p>
          <UserSelect id="transfer-to" value={to} without={user.id} placeholder={t('chooseUser')} onChange={setTo} />
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
        </>
      )}
    </Modal>
  )
}
