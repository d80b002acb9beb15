import type { DeviceIdentityView } from '@thingwright/contracts/device-identity.contract'
import type { DeviceView } from '@thingwright/contracts/devices.contract'
import { Button, Modal } from 'antd'
import { lazy, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatDateTime, formatNumber } from '../../../lib/format.ts'
import { notify } from '../../../lib/notify.ts'
import { useMay } from '../../../lib/permissions.ts'
import { useCache } from '../../../lib/server-state/cache.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { AccessPanel } from '../../../ui/device-access/access-panel.tsx'
import { ShownOnce } from '../../../ui/device-access/shown-once.tsx'
import { Facts, Panel, Stack } from '../../../ui/panel.tsx'
import { FormDrawer } from '../../../ui/schema-form/form-drawer.tsx'
import { ErrorState } from '../../../ui/states.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import { DeviceCertificates } from './device-certificates.tsx'

const TripleDrawer = lazy(async () => ({ default: (await import('./triple-drawer.tsx')).TripleDrawer }))
const OVERLAPS = [86_400, 3600, 0] as const

/** What a device can sign in with besides its secret, what it may do, and how its limits held it back. */
export function DeviceCredentials({ device }: { device: DeviceView }) {
  const { t } = useTranslation('device-identity')
  const cache = useCache()
  const params = { id: device.id }
  const set = useAct('deviceIdentity.set', {
    done: reply => {
      cache.put('deviceIdentity.get', { params }, reply)
      notify.success(t('saved'))
    },
  })
  const mayWrite = useMay('deviceIdentity.set')
  const identity = useRead('deviceIdentity.get', { params })
  const view = identity.data
  if (!view) {
    return (
      <Panel title={t('token')}>
        {identity.isError ? (
          <ErrorState error={identity.error} onRetry={() => void identity.refetch()} />
        ) : (
          <div style={{ height: 88 }} />
        )}
      </Panel>
    )
  }
  const alive = device.lifecycle !== 'recycled'
  return (
    <Stack>
      <TokenPanel device={device} view={view} alive={alive} />
      <DeviceCertificates device={device} certificates={view.certificates} alive={alive} />
      <AccessPanel
        own={view.own}
        inherited={view.effective}
        mayChange={mayWrite && alive}
        onSave={access => set.send({ params, body: access })}
      >
        <HeldBack flow={view.flow} />
      </AccessPanel>
    </Stack>
  )
}

/** Never silent: what a limit held back, day by day. */
function HeldBack({ flow }: { flow: DeviceIdentityView['flow'] }) {
  const { t } = useTranslation('device-identity')
  if (flow.length === 0) return <p>{t('neverHeldBack')}</p>
  return (
    <Facts
      items={flow.map(day => ({
        label: day.day,
        value: (
          <>
            {t('heldBack', { slowed: formatNumber(day.slowed), refused: formatNumber(day.refused) })}
            {' · '}
            <TimeText value={day.lastAt} />
          </>
        ),
      }))}
    />
  )
}

function TokenPanel({ device, view, alive }: { device: DeviceView; view: DeviceIdentityView; alive: boolean }) {
  const { t } = useTranslation('device-identity')
  const maySecret = useMay('deviceIdentity.rotateToken')
  const [open, setOpen] = useState<'rotate' | 'remove' | 'triple' | null>(null)
  const [token, setToken] = useState<string | null>(null)
  const params = { id: device.id }
  const show = useAct('deviceIdentity.showToken', { own: false, done: ({ accessToken }) => setToken(accessToken) })
  const rotate = useAct('deviceIdentity.rotateToken', {
    done: ({ accessToken }) => {
      setOpen(null)
      setToken(accessToken)
    },
  })
  const remove = useAct('deviceIdentity.removeToken', {
    done: () => {
      notify.success(t('tokenRemoved'))
      setOpen(null)
    },
  })
  return (
    <Panel
      title={t('token')}
      hint={t('tokenHint')}
      actions={
        maySecret && (
          <>
            <Button disabled={!alive} onClick={() => setOpen('triple')}>
              {t('triple')}
            </Button>
            {view.hasAccessToken && (
              <>
                <Button onClick={() => void show.run({ params })}>{t('showToken')}</Button>
                <Button danger onClick={() => setOpen('remove')}>
                  {t('removeToken')}
                </Button>
              </>
            )}
            <Button
              disabled={!alive}
              onClick={() =>
                view.hasAccessToken ? setOpen('rotate') : void rotate.run({ params, body: { overlapSeconds: 0 } })
              }
            >
              {t(view.hasAccessToken ? 'rotateToken' : 'makeToken')}
            </Button>
          </>
        )
      }
    >
      <Facts
        items={[
          { label: t('token'), value: t(view.hasAccessToken ? 'tokenHidden' : 'noToken') },
          ...(view.previousTokenUntil
            ? [{ label: t('previousToken'), value: t('until', { time: formatDateTime(view.previousTokenUntil) }) }]
            : []),
        ]}
      />
      {open === 'rotate' && (
        <FormDrawer
          title={t('rotateToken')}
          fields={[
            {
              kind: 'enum',
              key: 'overlapSeconds',
              label: t('overlap'),
              required: true,
              display: 'cards',
              options: OVERLAPS.map(value => ({ value, label: t(`overlaps.${value}`) })),
            },
          ]}
          initial={{ overlapSeconds: 86_400 }}
          submitText={t('rotateToken')}
          onClose={() => setOpen(null)}
          onSubmit={values => rotate.send({ params, body: { overlapSeconds: values.overlapSeconds as number } })}
        />
      )}
      <Modal
        open={open === 'remove'}
        width={420}
        title={t('removeTokenTitle')}
        okText={t('removeToken')}
        cancelText={t('cancel')}
        okButtonProps={{ danger: true }}
        onCancel={() => setOpen(null)}
        onOk={() => void remove.run({ params })}
      >
        <p>{t('removeTokenText')}</p>
      </Modal>
      {token !== null && (
        <ShownOnce title={t('token')} secrets={[{ label: t('token'), value: token }]} onClose={() => setToken(null)} />
      )}
      <Suspense>{open === 'triple' && <TripleDrawer device={device} onClose={() => setOpen(null)} />}</Suspense>
    </Panel>
  )
}
