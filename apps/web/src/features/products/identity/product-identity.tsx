import type { ProductIdentityView, RegistrationMode } from '@thingwright/contracts/device-identity.contract'
import { REGISTRATION_MODES } from '@thingwright/contracts/device-identity.words'
import type { ProductDetail } from '@thingwright/contracts/products.contract'
import { Alert, Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatDateTime } from '../../../lib/format.ts'
import { notify } from '../../../lib/notify.ts'
import { useMay } from '../../../lib/permissions.ts'
import { useCache } from '../../../lib/server-state/cache.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { CopyId } from '../../../ui/copy-id.tsx'
import { AccessPanel } from '../../../ui/device-access/access-panel.tsx'
import { ShownOnce } from '../../../ui/device-access/shown-once.tsx'
import { Facts, Panel, Stack } from '../../../ui/panel.tsx'
import { FormDrawer } from '../../../ui/schema-form/form-drawer.tsx'
import { ErrorState } from '../../../ui/states.tsx'
import { CaPanel } from './ca-panel.tsx'
import { RegistrationList } from './registration-list.tsx'

const OVERLAPS = [86_400, 3600, 0] as const

/** How devices of the product say who they are: registration, the product's secret, certificates, topic rights, limits. */
export function ProductIdentity({ product }: { product: ProductDetail }) {
  const { t } = useTranslation('product-identity')
  const cache = useCache()
  const identity = useRead('productIdentity.get', { params: { id: product.id } })
  const mayWrite = useMay('productIdentity.set')
  const view = identity.data
  const taken = (next: ProductIdentityView) => {
    cache.put('productIdentity.get', { params: { id: product.id } }, next)
    notify.success(t('saved'))
  }
  const set = useAct('productIdentity.set', { done: taken })
  if (!view) {
    return (
      <Panel title={t('registration')}>
        {identity.isError ? (
          <ErrorState error={identity.error} onRetry={() => void identity.refetch()} />
        ) : (
          <div style={{ height: 88 }} />
        )}
      </Panel>
    )
  }
  return (
    <Stack>
      <RegistrationPanel product={product} view={view} taken={taken} />
      <CaPanel />
      <AccessPanel
        own={{ topics: view.topics, messagesPerSecond: view.messagesPerSecond }}
        mayChange={mayWrite}
        onSave={access => set.send({ params: { id: product.id }, body: access })}
      />
    </Stack>
  )
}

function RegistrationPanel({
  product,
  view,
  taken,
}: {
  product: ProductDetail
  view: ProductIdentityView
  taken: (view: ProductIdentityView) => void
}) {
  const { t } = useTranslation('product-identity')
  const mayWrite = useMay('productIdentity.set')
  const mayRotate = useMay('productIdentity.rotateSecret')
  const [open, setOpen] = useState<'mode' | 'secret' | null>(null)
  const [secret, setSecret] = useState<string | null>(null)
  const set = useAct('productIdentity.set', {
    done: next => {
      taken(next)
      setOpen(null)
    },
  })
  const rotate = useAct('productIdentity.rotateSecret', {
    done: ({ productSecret }) => {
      setOpen(null)
      setSecret(productSecret)
    },
  })
  const on = view.registration !== 'off'
  return (
    <Panel
      title={t('registration')}
      hint={t('registrationHint')}
      actions={
        <>
          {mayRotate && (
            <Button onClick={() => setOpen('secret')}>{t(view.hasSecret ? 'rotateSecret' : 'makeSecret')}</Button>
          )}
          {mayWrite && <Button onClick={() => setOpen('mode')}>{t('changeMode')}</Button>}
        </>
      }
    >
      {on && !view.hasSecret && <Alert type="warning" showIcon title={t('needsSecret')} style={{ marginBottom: 16 }} />}
      <Facts
        items={[
          { label: t('mode'), value: t(`modes.${view.registration}`) },
          { label: t('productSecret'), value: t(view.hasSecret ? 'secretHidden' : 'noSecret') },
          ...(view.previousSecretUntil
            ? [{ label: t('previousSecret'), value: t('until', { time: formatDateTime(view.previousSecretUntil) }) }]
            : []),
          ...(on
            ? [
                {
                  label: 'HTTP POST',
                  value: <CopyId value={`/device/v1/${product.productKey}/register`} />,
                  wide: true,
                },
                { label: 'MQTT', value: t('mqttHow') },
              ]
            : []),
        ]}
      />
      {(view.registration === 'approve' || view.waiting > 0) && <RegistrationList productId={product.id} />}
      {open === 'mode' && (
        <FormDrawer
          title={t('registration')}
          fields={[
            {
              kind: 'enum',
              key: 'registration',
              label: t('mode'),
              required: true,
              display: 'cards',
              options: REGISTRATION_MODES.map(value => ({
                value,
                label: t(`modes.${value}`),
                help: t(`modeTexts.${value}`),
              })),
            },
          ]}
          initial={{ registration: view.registration }}
          submitText={t('save')}
          onClose={() => setOpen(null)}
          onSubmit={values =>
            set.send({ params: { id: product.id }, body: { registration: values.registration as RegistrationMode } })
          }
        />
      )}
      {open === 'secret' && (
        <FormDrawer
          title={t(view.hasSecret ? 'rotateSecret' : 'makeSecret')}
          intro={<p>{t('secretText')}</p>}
          fields={
            view.hasSecret
              ? [
                  {
                    kind: 'enum',
                    key: 'overlapSeconds',
                    label: t('overlap'),
                    required: true,
                    display: 'cards',
                    options: OVERLAPS.map(value => ({ value, label: t(`overlaps.${value}`) })),
                  },
                ]
              : []
          }
          initial={{ overlapSeconds: 86_400 }}
          submitText={t(view.hasSecret ? 'rotateSecret' : 'makeSecret')}
          onClose={() => setOpen(null)}
          onSubmit={values =>
            rotate.send({
              params: { id: product.id },
              body: view.hasSecret ? { overlapSeconds: values.overlapSeconds as number } : {},
            })
          }
        />
      )}
      {secret !== null && (
        <ShownOnce
          title={t('productSecret')}
          secrets={[{ label: t('productSecret'), value: secret }]}
          onClose={() => setSecret(null)}
        />
      )}
    </Panel>
  )
}
