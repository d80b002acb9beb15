import type { FirmwareKeyView, FirmwareSettingsView } from '@thingwright/contracts/firmware.contract'
import { Button, Drawer, Skeleton } from 'antd'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '../../../lib/format.ts'
import { notify } from '../../../lib/notify.ts'
import { useMay } from '../../../lib/permissions.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { CopyId } from '../../../ui/copy-id.tsx'
import type { Field } from '../../../ui/schema-form/field.ts'
import { FormAlert, FormDrawer, useFormSubmit } from '../../../ui/schema-form/form-drawer.tsx'
import { SchemaForm } from '../../../ui/schema-form/schema-form.tsx'
import { useSchemaForm } from '../../../ui/schema-form/use-schema-form.ts'
import { EmptyState, ErrorState } from '../../../ui/states.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import { Confirm } from '../components/confirm.tsx'
import { ProductSelect } from '../components/product-select.tsx'
import { FIRMWARE, useSettings } from '../hooks.ts'
import css from '../ota.module.css'
import own from './packages.module.css'

const MAX_KEYS = 5

/** What the packages of a product must fulfil, and the keys that sign them. */
export function SettingsDrawer({ productId, onClose }: { productId: string | null; onClose: () => void }) {
  const { t } = useTranslation('ota')
  const [product, setProduct] = useState(productId)
  const settings = useSettings(product)
  return (
    <Drawer open size={720} title={t('settings.title')} onClose={onClose} footer={<Foot onClose={onClose} />}>
      <div className={css.stack}>
        <p className={own.lead}>{t('settings.lead')}</p>
        <ProductSelect value={product} onChange={setProduct} />
        {product === null ? (
          <EmptyState title={t('settings.choose')} description={t('settings.chooseText')} />
        ) : settings.isError && !settings.data ? (
          <ErrorState error={settings.error} onRetry={() => void settings.refetch()} />
        ) : settings.data ? (
          <>
            <Rules key={product} of={settings.data} />
            <Keys of={settings.data} />
          </>
        ) : (
          <Skeleton active />
        )}
      </div>
    </Drawer>
  )
}

function Foot({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('ota')
  return (
    <div className={css.foot}>
      <Button onClick={onClose}>{t('close')}</Button>
    </div>
  )
}

function Rules({ of }: { of: FirmwareSettingsView }) {
  const { t } = useTranslation('ota')
  const setSettings = useAct('firmware.setSettings', { touches: FIRMWARE })
  const mayWrite = useMay('firmware.setSettings')
  const fields = useMemo<Field[]>(
    () => [
      {
        key: 'requireSignature',
        kind: 'bool',
        label: t('settings.requireSignature'),
        help: t('settings.requireSignatureHelp'),
        half: true,
      },
      {
        key: 'requireVerified',
        kind: 'bool',
        label: t('settings.requireVerified'),
        help: t('settings.requireVerifiedHelp'),
        half: true,
      },
      {
        key: 'magicHex',
        kind: 'string',
        label: t('settings.magic'),
        help: t('settings.magicHelp'),
        mono: true,
        pattern: /^(\s*[0-9A-Fa-f]{2}){1,16}\s*$/,
        patternText: t('settings.magicRule'),
        half: true,
      },
    ],
    [t],
  )
  const initial = useMemo(
    () => ({ requireSignature: of.requireSignature, requireVerified: of.requireVerified, magicHex: of.magicHex ?? '' }),
    [of],
  )
  const form = useSchemaForm(fields, initial)
  const { busy, failure, submit } = useFormSubmit(form, async values => {
    const magic = values.magicHex ? String(values.magicHex).replace(/\s+/g, '') : null
    await setSettings.send({
      params: { id: of.productId },
      body: {
        requireSignature: values.requireSignature === true,
        requireVerified: values.requireVerified === true,
        magicHex: magic,
      },
    })
    form.reset({ ...form.values, magicHex: magic ?? '' })
    notify.success(t('saved'))
  })
  return (
    <form
      onSubmit={event => {
        event.preventDefault()
        void submit()
      }}
    >
      {failure && <FormAlert error={failure.error} rest={failure.rest} />}
      <SchemaForm form={form} disabled={busy || !mayWrite} />
      {mayWrite && (
        <Button type="primary" htmlType="submit" className={own.after ?? ''} loading={busy} disabled={!form.dirty}>
          {t('save')}
        </Button>
      )}
    </form>
  )
}

function Keys({ of }: { of: FirmwareSettingsView }) {
  const { t } = useTranslation('ota')
  const mayWrite = useMay('firmware.addKey')
  const [adding, setAdding] = useState(false)
  const [removing, setRemoving] = useState<FirmwareKeyView | null>(null)
  const add = useAct('firmware.addKey', {
    touches: FIRMWARE,
    done: () => {
      notify.success(t('settings.keyAdded'))
      setAdding(false)
    },
  })
  const remove = useAct('firmware.removeKey', {
    touches: FIRMWARE,
    done: () => {
      notify.success(t('settings.keyRemoved'))
      setRemoving(null)
    },
  })
  const fields = useMemo<Field[]>(
    () => [
      { key: 'name', kind: 'string', label: t('name'), required: true, maxLength: 64 },
      {
        key: 'publicKey',
        kind: 'string',
        label: t('settings.publicKey'),
        help: t('settings.publicKeyHelp'),
        required: true,
        mono: true,
        rows: 4,
        maxLength: 400,
        minLength: 43,
      },
    ],
    [t],
  )
  return (
    <section>
      <div className={css.headRow}>
        <h3 className={css.heading}>{t('settings.keys')}</h3>
        {mayWrite && (
          <Button
            disabled={of.keys.length >= MAX_KEYS}
            title={of.keys.length >= MAX_KEYS ? t('settings.keysFull', { max: MAX_KEYS }) : undefined}
            onClick={() => setAdding(true)}
          >
            {t('settings.addKey')}
          </Button>
        )}
      </div>
      {of.keys.length === 0 && <p className={css.muted}>{t('settings.noKeys')}</p>}
      <ul className={own.lines}>
        {of.keys.map(key => (
          <li key={key.id} className={own.line}>
            <span className={own.lineName} title={key.name} dir="auto">
              {key.name}
            </span>
            <CopyId value={key.publicKey} />
            <span className={css.muted}>
              {t('settings.signed', { count: key.packages, text: formatNumber(key.packages) })}
            </span>
            <TimeText value={key.createdAt} />
            {mayWrite && (
              <Button size="small" type="text" danger onClick={() => setRemoving(key)}>
                {t('remove')}
              </Button>
            )}
          </li>
        ))}
      </ul>
      {adding && (
        <FormDrawer
          title={t('settings.addKey')}
          fields={fields}
          initial={{}}
          submitText={t('settings.addKey')}
          onSubmit={values =>
            add.send({
              params: { id: of.productId },
              body: { name: String(values.name), publicKey: String(values.publicKey) },
            })
          }
          onClose={() => setAdding(false)}
        />
      )}
      {removing && (
        <Confirm
          title={t('settings.removeTitle', { name: removing.name })}
          okText={t('remove')}
          danger
          onClose={() => setRemoving(null)}
          onOk={() => remove.send({ params: { id: of.productId, keyId: removing.id } })}
        >
          <p>{t('settings.removeText', { count: removing.packages })}</p>
        </Confirm>
      )}
    </section>
  )
}
