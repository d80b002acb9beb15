import { CheckCircleFilled } from '@ant-design/icons'
import type { DeviceWithSecret } from '@thingwright/contracts/devices.contract'
import { Alert, Button, Drawer } from 'antd'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useNavigate } from 'react-router'
import type { Body } from '../../../lib/api-client.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { CopyId } from '../../../ui/copy-id.tsx'
import { groupsOf } from '../../../ui/group-tree/use-groups.ts'
import { Facts } from '../../../ui/panel.tsx'
import { FormAlert, useFormSubmit } from '../../../ui/schema-form/form-drawer.tsx'
import { SchemaForm } from '../../../ui/schema-form/schema-form.tsx'
import { useUnsavedGuard } from '../../../ui/schema-form/unsaved-guard.tsx'
import { useSchemaForm } from '../../../ui/schema-form/use-schema-form.ts'
import { deviceAddress } from '../addresses.ts'
import css from '../devices.module.css'
import { useProductCatalogue } from '../hooks.ts'
import { FirstMessage } from '../link/first-message.tsx'
import { SnippetTabs } from '../link/snippet-tabs.tsx'
import { deviceFields } from './device-fields.tsx'

type NewDevice = Body<'devices.create'>

/** Adds a device; then shows its secret, the only time, with code to connect and a light that waits for it. */
export function CreateDeviceDrawer({
  productId,
  groupId,
  onClose,
}: {
  productId: string | null
  groupId: string | null
  onClose: () => void
}) {
  const { t } = useTranslation('devices')
  const navigate = useNavigate()
  const products = useProductCatalogue()
  const { choices, setQ, loading } = products
  const fields = useMemo(() => deviceFields(t, { choices, setQ, loading }), [t, choices, setQ, loading])
  const initial = useMemo(() => ({ productId: productId ?? undefined, groupId }), [productId, groupId])
  const form = useSchemaForm(fields, initial)
  const [made, setMade] = useState<DeviceWithSecret | null>(null)
  const create = useAct('devices.create', { touches: [groupsOf('device')], done: setMade })
  const guard = useUnsavedGuard(form.dirty && made === null)
  const { busy, failure, submit, clearFailure } = useFormSubmit(form, async values => {
    await create.send({ body: values as NewDevice })
  })
  const close = () => guard.ask(onClose)
  const another = () => {
    form.reset({ productId: made?.productId, groupId: made?.groupId ?? null })
    clearFailure()
    setMade(null)
  }
  return (
    <Drawer
      open
      size={made ? 720 : 560}
      title={made ? t('madeTitle') : t('createTitle')}
      onClose={close}
      maskClosable={made === null && !busy}
      footer={
        <div className={css.drawerFoot}>
          {made ? (
            <>
              <Button onClick={another}>{t('addAnother')}</Button>
              <Button
                type="primary"
                onClick={() => {
                  onClose()
                  void navigate(deviceAddress(made.id))
                }}
              >
                {t('openDevice')}
              </Button>
            </>
          ) : (
            <>
              <Button onClick={close}>{t('cancel')}</Button>
              <Button type="primary" loading={busy} onClick={() => void submit()}>
                {t('add')}
              </Button>
            </>
          )}
        </div>
      }
    >
      {made ? (
        <div className={css.made}>
          <p className={css.madeHead}>
            <CheckCircleFilled className={css.madeIcon ?? ''} aria-hidden />
            <span>
              <b dir="auto">{made.name}</b>
              <span>{t('madeText')}</span>
            </span>
          </p>
          <Alert type="warning" showIcon title={t('secretOnce')} />
          <Facts
            items={[
              { label: t('deviceSecret'), value: <CopyId value={made.deviceSecret} />, wide: true },
              ...(made.accessToken
                ? [{ label: t('accessToken'), value: <CopyId value={made.accessToken} />, wide: true }]
                : []),
              { label: t('username'), value: <CopyId value={`${made.productKey}/${made.deviceNo}`} /> },
              { label: t('deviceNo'), value: <CopyId value={made.deviceNo} /> },
            ]}
          />
          <FirstMessage device={made} />
          <SnippetTabs device={made} secret={made.deviceSecret} />
        </div>
      ) : (
        <form
          onSubmit={event => {
            event.preventDefault()
            void submit()
          }}
        >
          {failure && <FormAlert error={failure.error} rest={failure.rest} />}
          {!loading && choices.length === 0 && (
            <Alert
              className={css.alert ?? ''}
              type="info"
              showIcon
              title={
                <>
                  {t('noProducts')} <Link to="/manage/product">{t('toProducts')}</Link>
                </>
              }
            />
          )}
          <SchemaForm form={form} disabled={busy} />
          <button type="submit" hidden tabIndex={-1} aria-hidden="true" />
        </form>
      )}
      {guard.dialog}
    </Drawer>
  )
}
