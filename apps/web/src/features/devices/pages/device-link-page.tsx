import { Alert, Button } from 'antd'
import { lazy, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatDateTime } from '../../../lib/format.ts'
import { loadTexts } from '../../../lib/i18n.ts'
import { useMay } from '../../../lib/permissions.ts'
import { useCache } from '../../../lib/server-state/cache.ts'
import { only } from '../../../lib/server-state/keys.ts'
import { CopyId } from '../../../ui/copy-id.tsx'
import { Facts, Panel, Stack } from '../../../ui/panel.tsx'
import { PermissionGate } from '../../../ui/permission-gate.tsx'
import { SecretText } from '../../../ui/secret-text.tsx'
import { ErrorState } from '../../../ui/states.tsx'
import { withDiagnosis } from '../diagnose/load.ts'
import { useDevice, useDeviceId } from '../hooks.ts'
import { DeviceCredentials } from '../link/device-credentials.tsx'
import { DeviceTopics } from '../link/device-topics.tsx'
import { FirstMessage } from '../link/first-message.tsx'
import { SessionCard } from '../link/session-card.tsx'
import { SnippetTabs } from '../link/snippet-tabs.tsx'
import { useAccess } from '../link/use-access.ts'

const TerminalPanel = lazy(async () => ({
  default: (await withDiagnosis(import('../terminal/terminal-panel.tsx'))).TerminalPanel,
}))
const SimulatorPanel = lazy(async () => ({
  default: (await withDiagnosis(import('../simulator/simulator-panel.tsx'))).SimulatorPanel,
}))
const RawLinkPanel = lazy(async () => {
  const [part] = await Promise.all([import('../raw-link/raw-link-panel.tsx'), loadTexts('raw-link')])
  return { default: part.RawLinkPanel }
})
const NbiotPanel = lazy(async () => {
  const [part] = await Promise.all([import('../nbiot/nbiot-panel.tsx'), loadTexts('nbiot')])
  return { default: part.NbiotPanel }
})
const LoraPanel = lazy(async () => {
  const [part] = await Promise.all([import('../lora-device/lora-panel.tsx'), loadTexts('lora-device')])
  return { default: part.LoraPanel }
})
const RotateSecret = lazy(async () => ({ default: (await import('../link/rotate-secret.tsx')).RotateSecret }))

/** How this device connects: credentials, code, the light that waits for it, its session, its topics. */
export function DeviceLinkPage() {
  const { t } = useTranslation('devices')
  const id = useDeviceId()
  const cache = useCache()
  const { data: device } = useDevice(id)
  const access = useAccess(id)
  const [rotating, setRotating] = useState(false)
  // Known only right after a rotation on this very page.
  const [secret, setSecret] = useState<{ id: string; value: string } | null>(null)
  const mayWrite = useMay('devices.update')
  if (!device) return null
  const known = secret?.id === id ? secret.value : null
  const a = access.data
  // A LoRaWAN device speaks to its network server, never to an address of ours.
  const isDirect = device.linkType !== 'lorawan'
  return (
    <Stack>
      {device.lifecycle === 'disabled' && <Alert type="warning" showIcon title={t('disabledHint')} />}
      {device.lifecycle === 'recycled' && <Alert type="warning" showIcon title={t('recycledHint')} />}
      {isDirect && (
        <Panel
          title={t('credentials')}
          hint={t('credentialsHint')}
          actions={
            <PermissionGate of="devices.rotateSecret">
              <Button disabled={device.lifecycle === 'recycled'} onClick={() => setRotating(true)}>
                {t('rotate')}
              </Button>
            </PermissionGate>
          }
        >
          {access.isError && !a ? (
            <ErrorState error={access.error} onRetry={() => void access.refetch()} />
          ) : (
            <Facts
              items={[
                { label: t('username'), value: <CopyId value={`${device.productKey}/${device.deviceNo}`} /> },
                {
                  label: t('deviceSecret'),
                  value: known === null ? t('secretHidden') : <SecretText value={known} />,
                },
                ...(a?.previousSecretUntil
                  ? [{ label: t('previousSecret'), value: t('until', { time: formatDateTime(a.previousSecretUntil) }) }]
                  : []),
                ...(a
                  ? [
                      ...a.ways.flatMap(({ way, addresses }) =>
                        // Credentials of a raw link are in a card of their own, with the first packet of the device.
                        way === 'tcp' || way === 'udp' || way === 'modbus'
                          ? []
                          : addresses.map(({ kind, url }) => ({
                              label: t(`addressOf.${kind}`),
                              value: <CopyId value={url} />,
                            })),
                      ),
                      { label: t('clientId'), value: t('anyClientId') },
                    ]
                  : []),
              ]}
            />
          )}
        </Panel>
      )}
      <Suspense>
        <RawLinkPanel key={`raw-${id}`} device={device} secret={known} />
        <NbiotPanel key={`nbiot-${id}`} device={device} />
        <LoraPanel key={`lora-${id}`} device={device} />
      </Suspense>
      <Panel title={t('firstMessage')} hint={t(isDirect ? 'firstMessageHint' : 'firstUplinkHint')}>
        <Stack>
          <FirstMessage key={id} device={device} />
          {isDirect && <SnippetTabs device={device} secret={known} />}
        </Stack>
      </Panel>
      {isDirect && <DeviceCredentials key={`identity-${id}`} device={device} />}
      <SessionCard device={device} />
      <Suspense>
        {mayWrite && device.lifecycle !== 'recycled' && <SimulatorPanel key={`s-${id}`} device={device} />}
        <TerminalPanel key={`t-${id}`} device={device} />
      </Suspense>
      {a && isDirect && <DeviceTopics prefix={a.topicPrefix} />}
      <Suspense>
        {rotating && (
          <RotateSecret
            device={device}
            onRotated={value => {
              setSecret({ id, value })
              void cache.touch(only('devices.access', { params: { id } }))
            }}
            onClose={() => setRotating(false)}
          />
        )}
      </Suspense>
    </Stack>
  )
}
