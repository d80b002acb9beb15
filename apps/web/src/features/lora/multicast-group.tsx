import { Alert, Button, Input, InputNumber, Modal, Skeleton } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { notify } from '../../lib/notify.ts'
import { useMay } from '../../lib/permissions.ts'
import { useAct } from '../../lib/server-state/use-act.ts'
import { useRead } from '../../lib/server-state/use-read.ts'
import { CopyId } from '../../ui/copy-id.tsx'
import { Facts } from '../../ui/panel.tsx'
import { PermissionGate } from '../../ui/permission-gate.tsx'
import { ErrorState } from '../../ui/states.tsx'
import { megahertz } from './hooks.ts'
import css from './lora.module.css'

const GROUPS = ['loraMulticast'] as const
const DEV_EUI = /^[0-9a-f]{16}$/i
const HEX = /^([0-9a-f]{2})+$/i

/** One multicast group: its devices, what waits to be sent, and a frame for all of them. */
export function MulticastGroup({
  connectionId,
  groupId,
  onBack,
}: {
  connectionId: string
  groupId: string
  onBack: () => void
}) {
  const { t } = useTranslation('lora')
  const params = { id: connectionId, groupId }
  const mayWrite = useMay('loraMulticast.send')
  const query = useRead('loraMulticast.get', { params })
  const [euis, setEuis] = useState('')
  const [port, setPort] = useState<number | null>(10)
  const [hex, setHex] = useState('')
  const [removing, setRemoving] = useState(false)
  const add = useAct('loraMulticast.addDevices', {
    touches: GROUPS,
    done: ({ added }) => {
      notify.success(t('multicast.added', { count: added }))
      setEuis('')
    },
  })
  const takeOut = useAct('loraMulticast.removeDevice', { touches: GROUPS })
  const send = useAct('loraMulticast.send', {
    touches: GROUPS,
    done: () => {
      notify.success(t('multicast.queued'))
      setHex('')
    },
  })
  const remove = useAct('loraMulticast.remove', {
    touches: GROUPS,
    done: () => {
      notify.success(t('removed'))
      onBack()
    },
  })
  const typed = [...new Set(euis.split(/[\s,;]+/).filter(Boolean))]
  const wrong = typed.find(eui => !DEV_EUI.test(eui))
  const bytes = hex.replace(/\s/g, '')
  const group = query.data
  return (
    <div className={css.stack}>
      <div className={css.row}>
        <Button onClick={onBack}>{t('multicast.back')}</Button>
        {group && (
          <PermissionGate of="loraMulticast.remove">
            <Button danger onClick={() => setRemoving(true)}>
              {t('remove')}
            </Button>
          </PermissionGate>
        )}
      </div>
      {query.isError && !group ? (
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      ) : !group ? (
        <Skeleton active />
      ) : (
        <>
          <h3 dir="auto">{group.name}</h3>
          <Facts
            items={[
              { label: t('multicast.mcAddr'), value: <CopyId value={group.mcAddr} /> },
              { label: t('multicast.type'), value: t(`multicast.types.${group.type}`) },
              { label: t('multicast.region'), value: group.region },
              { label: t('multicast.application'), value: group.applicationName },
              { label: t('multicast.dr'), value: `DR${group.dr}` },
              { label: t('multicast.frequency'), value: megahertz(group.frequency) },
              { label: t('multicast.fCnt'), value: group.fCnt },
            ]}
          />
          <section aria-label={t('multicast.members')} className={css.stack}>
            <strong>{t('multicast.members')}</strong>
            {group.devices.length === 0 && <p className={css.quiet}>{t('multicast.membersNone')}</p>}
            {group.devices.map(({ devEui, name }) => (
              <div key={devEui} className={css.row}>
                <span dir="auto">{name}</span>
                <CopyId value={devEui} />
                {mayWrite && (
                  <Button
                    size="small"
                    aria-label={`${t('multicast.takeOut')} ${devEui}`}
                    loading={takeOut.pending}
                    onClick={() => void takeOut.run({ params: { ...params, devEui } })}
                  >
                    {t('multicast.takeOut')}
                  </Button>
                )}
              </div>
            ))}
            {add.reply?.failed.map(({ devEui, text }) => (
              <Alert key={devEui} type="error" showIcon title={t('multicast.failed', { devEui, text })} />
            ))}
            <PermissionGate of="loraMulticast.addDevices">
              <Input.TextArea
                rows={2}
                value={euis}
                aria-label={t('multicast.devEuis')}
                placeholder={t('multicast.devEuisHelp')}
                status={wrong === undefined ? '' : 'error'}
                onChange={event => setEuis(event.target.value)}
              />
              {wrong !== undefined && <p className={css.fault}>{`${wrong}: ${t('multicast.devEuiRule')}`}</p>}
              <div className={css.row}>
                <Button
                  disabled={typed.length === 0 || wrong !== undefined}
                  loading={add.pending}
                  onClick={() => void add.run({ params, body: { devEuis: typed } })}
                >
                  {t('multicast.addMembers')}
                </Button>
              </div>
            </PermissionGate>
          </section>
          <section aria-label={t('multicast.queue')} className={css.stack}>
            <strong>{t('multicast.queue')}</strong>
            {group.queue.length === 0 && <p className={css.quiet}>{t('multicast.queueNone')}</p>}
            {group.queue.map(item => (
              <div key={item.fCnt} className={css.row}>
                <span>{`#${item.fCnt} · fPort ${item.port}`}</span>
                <CopyId value={item.hex} />
              </div>
            ))}
            <PermissionGate of="loraMulticast.send">
              <div className={css.row}>
                <InputNumber
                  aria-label={t('multicast.port')}
                  min={1}
                  max={223}
                  precision={0}
                  value={port}
                  onChange={setPort}
                />
                <Input
                  aria-label={t('multicast.hex')}
                  placeholder={t('multicast.hex')}
                  value={hex}
                  maxLength={600}
                  status={bytes === '' || HEX.test(bytes) ? '' : 'error'}
                  onChange={event => setHex(event.target.value)}
                />
                <Button
                  type="primary"
                  loading={send.pending}
                  disabled={port === null || !HEX.test(bytes)}
                  onClick={() => void send.run({ params, body: { port: port!, hex: bytes } })}
                >
                  {t('multicast.send')}
                </Button>
              </div>
              {bytes !== '' && !HEX.test(bytes) && <p className={css.fault}>{t('multicast.hexRule')}</p>}
            </PermissionGate>
          </section>
          <Modal
            open={removing}
            width={420}
            title={t('multicast.removeTitle', { name: group.name })}
            okText={t('remove')}
            cancelText={t('cancel')}
            okButtonProps={{ danger: true, loading: remove.pending }}
            onOk={() => void remove.run({ params })}
            onCancel={() => setRemoving(false)}
          >
            <p>{t('multicast.removeText')}</p>
          </Modal>
        </>
      )}
    </div>
  )
}
