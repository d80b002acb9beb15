import { CheckCircleFilled } from '@ant-design/icons'
import type { ProductDetail } from '@thingwright/contracts/products.contract'
import type { ThingModel } from '@thingwright/thing-model'
import { Button, Drawer, Steps, Switch } from 'antd'
import { useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import type { Body } from '../../../lib/api-client.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { CopyId } from '../../../ui/copy-id.tsx'
import { groupsOf } from '../../../ui/group-tree/use-groups.ts'
import { Facts } from '../../../ui/panel.tsx'
import type { Values } from '../../../ui/schema-form/field.ts'
import { FormAlert, useFormSubmit } from '../../../ui/schema-form/form-drawer.tsx'
import { SchemaForm } from '../../../ui/schema-form/schema-form.tsx'
import { useUnsavedGuard } from '../../../ui/schema-form/unsaved-guard.tsx'
import { useSchemaForm } from '../../../ui/schema-form/use-schema-form.ts'
import { PRODUCT_LINK, productAddress } from '../addresses.ts'
import { useProductChanged } from '../hooks.ts'
import { readRows } from '../model/quick-rows.ts'
import { readModelFile } from '../product-file.ts'
import css from '../products.module.css'
import own from './create-product-drawer.module.css'
import { ModelProblems } from './model-problems.tsx'
import { NEW_PRODUCT, productFields } from './product-fields.tsx'
import { QuickModel, quickRow } from './quick-model.tsx'

/** Where a new product may begin: empty, from a copy. */
export interface ProductStart {
  values: Values
  model: ThingModel | null
}

/** Makes a product in two steps: what it is, what it reports; then shows what can be done next. */
export function CreateProductDrawer({ start, onClose }: { start: ProductStart | null; onClose: () => void }) {
  const { t } = useTranslation('products')
  const changed = useProductChanged()
  const fields = useMemo(() => productFields(t, true), [t])
  const form = useSchemaForm(fields, { ...NEW_PRODUCT, ...start?.values })
  const [step, setStep] = useState<'basics' | 'model' | 'done'>('basics')
  const [rows, setRows] = useState(() => [quickRow()])
  const [problems, setProblems] = useState<ReadonlyMap<number, string>>(new Map())
  const [imported, setImported] = useState<ThingModel | null>(start?.model ?? null)
  const [fileProblems, setFileProblems] = useState<
    Exclude<ReturnType<typeof readModelFile>, { ok: true }>['problems'] | null
  >(null)
  const [publish, setPublish] = useState(true)
  const [made, setMade] = useState<ProductDetail | null>(null)
  const create = useAct('products.create', {
    touches: [groupsOf('product')],
    done: product => {
      changed(product)
      setMade(product)
      setStep('done')
    },
  })
  const file = useRef<HTMLInputElement>(null)
  const guard = useUnsavedGuard((form.dirty || rows.some(row => row.name !== '')) && step !== 'done')
  const close = () => guard.ask(onClose)

  const { busy, failure, submit } = useFormSubmit(form, async values => {
    const quick = readRows(rows, imported?.properties.map(p => p.identifier) ?? [])
    setProblems(quick.problems)
    if (quick.problems.size > 0) return
    const thingModel = {
      properties: [...(imported?.properties ?? []), ...quick.properties],
      events: imported?.events ?? [],
      services: imported?.services ?? [],
    }
    try {
      const body = { ...values, thingModel, draft: !publish } as Body<'products.create'>
      await create.send({ body })
    } catch (error) {
      setStep('basics')
      throw error
    }
  })
  const toModel = () => {
    if (form.submit() !== null) setStep('model')
  }
  const take = async (picked: File | undefined) => {
    if (!picked) return
    const read = readModelFile(await picked.text())
    if (!read.ok) setFileProblems(read.problems)
    else {
      setFileProblems(null)
      setImported(read.model)
    }
  }

  return (
    <Drawer
      open
      size={720}
      title={start?.model ? t('copyTitle') : t('createTitle')}
      onClose={close}
      footer={
        <div className={css.drawerFoot}>
          {step === 'basics' && (
            <>
              <Button onClick={close}>{t('cancel')}</Button>
              <Button type="primary" onClick={toModel}>
                {t('nextStep')}
              </Button>
            </>
          )}
          {step === 'model' && (
            <>
              <span className={css.footLeft}>
                <Switch id="publish-at-once" checked={publish} onChange={setPublish} />
                <label htmlFor="publish-at-once">{t('publishAtOnce')}</label>
              </span>
              <Button onClick={() => setStep('basics')}>{t('previousStep')}</Button>
              <Button type="primary" loading={busy} onClick={() => void submit()}>
                {t('create')}
              </Button>
            </>
          )}
          {step === 'done' && <Button onClick={onClose}>{t('close')}</Button>}
        </div>
      }
    >
      <Steps
        size="small"
        className={css.steps ?? ''}
        current={step === 'basics' ? 0 : step === 'model' ? 1 : 2}
        items={[{ title: t('stepBasics') }, { title: t('stepModel') }, { title: t('stepDone') }]}
      />
      {failure && <FormAlert error={failure.error} rest={failure.rest} />}
      {step === 'basics' && (
        <form
          onSubmit={event => {
            event.preventDefault()
            toModel()
          }}
        >
          <SchemaForm form={form} disabled={busy} />
          <button type="submit" hidden tabIndex={-1} aria-hidden="true" />
        </form>
      )}
      {step === 'model' && (
        <>
          <p className={css.lead}>{t('quick.lead')}</p>
          {imported && imported.properties.length + imported.events.length + imported.services.length > 0 && (
            <p className={own.imported}>
              {t('quick.imported', {
                properties: imported.properties.length,
                events: imported.events.length,
                services: imported.services.length,
              })}{' '}
              <Button type="link" size="small" onClick={() => setImported(null)}>
                {t('quick.discard')}
              </Button>
            </p>
          )}
          <QuickModel rows={rows} onChange={setRows} problems={problems} />
          <p className={css.lead}>
            {t('quick.orFile')}{' '}
            <Button type="link" size="small" onClick={() => file.current?.click()}>
              {t('importFile')}
            </Button>
          </p>
          <input
            ref={file}
            type="file"
            hidden
            accept="application/json,.json"
            onChange={event => {
              void take(event.target.files?.[0])
              event.target.value = ''
            }}
          />
          {fileProblems && <ModelProblems problems={fileProblems} />}
        </>
      )}
      {step === 'done' && made && (
        <div className={own.done}>
          <CheckCircleFilled className={own.doneIcon ?? ''} aria-hidden />
          <h3>{t('madeTitle', { name: made.name })}</h3>
          <p>{made.status === 'published' ? t('madePublished') : t('madeDraft')}</p>
          <Facts items={[{ label: t('productKey'), value: <CopyId value={made.productKey} />, wide: true }]} />
          <div className={own.nextCards}>
            {made.status === 'published' && (
              <Link className={own.nextCard} to={`/manage/device?productId=${made.id}&create=1`} onClick={onClose}>
                <b>{t('next.device')}</b>
                <span>{t('next.deviceText')}</span>
              </Link>
            )}
            <Link className={own.nextCard} to={productAddress(made.id)} onClick={onClose}>
              <b>{t('next.model')}</b>
              <span>{t('next.modelText')}</span>
            </Link>
            <Link className={own.nextCard} to={productAddress(made.id, PRODUCT_LINK)} onClick={onClose}>
              <b>{t('next.link')}</b>
              <span>{t('next.linkText')}</span>
            </Link>
          </div>
        </div>
      )}
      {guard.dialog}
    </Drawer>
  )
}
