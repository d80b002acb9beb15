import type { SignatureMethod, TripleView } from '@thingwright/contracts/device-identity.contract'
import type { DeviceView } from '@thingwright/contracts/devices.contract'
import { Alert, Button, Drawer, Input, Segmented } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { CopyId } from '../../../ui/copy-id.tsx'
import { Facts } from '../../../ui/panel.tsx'
import { SecretText } from '../../../ui/secret-text.tsx'

const METHODS: readonly SignatureMethod[] = ['hmacsha256', 'hmacsha1', 'hmacmd5']

/** Computes the HMAC sign-in of a device out of its triple; the secret itself stays on the server. */
export function TripleDrawer({ device, onClose }: { device: DeviceView; onClose: () => void }) {
  const { t } = useTranslation('device-identity')
  const [dialect, setDialect] = useState<'own' | 'alibaba'>('own')
  const [method, setMethod] = useState<SignatureMethod>('hmacsha256')
  const [clientId, setClientId] = useState(device.deviceNo)
  const [result, setResult] = useState<TripleView | null>(null)
  const triple = useAct('deviceIdentity.triple', { own: false, done: setResult })
  const compute = () =>
    triple.run({
      params: { id: device.id },
      body: { dialect, method, ...(clientId === '' ? {} : { clientId }) },
    })
  return (
    <Drawer
      open
      size={560}
      title={t('triple')}
      onClose={onClose}
      footer={
        <div style={{ display: 'flex', justifyContent: 'flex-end' }}>
          <Button type="primary" loading={triple.pending} onClick={() => void compute()}>
            {t('compute')}
          </Button>
        </div>
      }
    >
      <p>{t('tripleText')}</p>
      <Facts
        items={[
          { label: 'ProductKey', value: <CopyId value={device.productKey} /> },
          { label: t('deviceNo'), value: <CopyId value={device.deviceNo} /> },
          {
            label: t('dialect'),
            wide: true,
            value: (
              <Segmented
                aria-label={t('dialect')}
                value={dialect}
                options={(['own', 'alibaba'] as const).map(value => ({ value, label: t(`dialects.${value}`) }))}
                onChange={value => {
                  setDialect(value)
                  setResult(null)
                }}
              />
            ),
          },
          {
            label: t('method'),
            wide: true,
            value: (
              <Segmented
                aria-label={t('method')}
                value={method}
                options={METHODS.map(value => ({ value, label: value.replace('hmac', 'HMAC-').toUpperCase() }))}
                onChange={value => {
                  setMethod(value)
                  setResult(null)
                }}
              />
            ),
          },
          ...(dialect === 'alibaba'
            ? [
                {
                  label: 'clientId',
                  wide: true,
                  value: (
                    <Input
                      aria-label="clientId"
                      value={clientId}
                      maxLength={64}
                      onChange={event => {
                        setClientId(event.target.value)
                        setResult(null)
                      }}
                    />
                  ),
                },
              ]
            : []),
        ]}
      />
      {result && (
        <>
          <Alert
            type="info"
            showIcon
            title={t(dialect === 'own' ? 'ownNote' : 'alibabaNote')}
            style={{ margin: '16px 0' }}
          />
          <Facts
            items={[
              ...(result.clientId === null || dialect === 'own'
                ? []
                : [{ label: 'clientId', value: <CopyId value={result.clientId} />, wide: true }]),
              { label: t('username'), value: <CopyId value={result.username} />, wide: true },
              { label: t('password'), value: <SecretText value={result.password} />, wide: true },
              { label: t('content'), value: <CopyId value={result.content} quiet />, wide: true },
            ]}
          />
        </>
      )}
    </Drawer>
  )
}
