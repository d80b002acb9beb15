import { emptyModel, type ThingModel } from '@thingwright/thing-model/model'
import { Button } from 'antd'
import { useCallback, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useLocation, useNavigate, useSearchParams } from 'react-router'
import { locale } from '../../../lib/i18n.ts'
import { notify } from '../../../lib/notify.ts'
import { useMay } from '../../../lib/permissions.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { PageHeader } from '../../../ui/page-header.tsx'
import { FormAlert, useFormSubmit } from '../../../ui/schema-form/form-drawer.tsx'
import { SchemaForm } from '../../../ui/schema-form/schema-form.tsx'
import { useUnsavedGuard } from '../../../ui/schema-form/unsaved-guard.tsx'
import { useSchemaForm } from '../../../ui/schema-form/use-schema-form.ts'
import { NoPermissionState } from '../../../ui/states.tsx'
import { campaignAddress, listAddress } from '../addresses.ts'
import { FIRMWARE, usePackage } from '../hooks.ts'
import css from '../ota.module.css'
import own from './campaigns.module.css'
import { campaignOf, FRESH } from './plan-values.ts'
import { Preview, PreviewNotes } from './preview.tsx'
import { StepBar } from './step-bar.tsx'
import { WizardCheck } from './wizard-check.tsx'
import { devicesStep, packageStep, STEPS, type Step, safetyStep, wayStep } from './wizard-fields.tsx'

/** The steps to a new campaign. Each is checked when it is left; what the devices will be is shown from the second on. */
export function CampaignWizard() {
  const { t } = useTranslation('ota')
  const mayDeploy = useMay('otaCampaigns.create')
  if (!mayDeploy)
    return (
      <>
        <PageHeader title={t('newCampaign')} />
        <NoPermissionState of="otaCampaigns.create" />
      </>
    )
  return <Wizard />
}

function Wizard() {
  const { t } = useTranslation('ota')
  const create = useAct('otaCampaigns.create', { touches: FIRMWARE })
  const [params] = useSearchParams()
  const navigate = useNavigate()
  const [step, setStep] = useState<Step>('package')
  const [seen, setSeen] = useState(0)
  const [done, setDone] = useState(false)
  const { state: brought } = useLocation()
  const [initial] = useState(() => {
    const from = params.get('from')
    const device = params.get('device')
    // A list of devices is too long for an address: it comes along with the navigation.
    const devices = idsIn(brought) ?? (device ? [device] : null)
    return {
      ...FRESH,
      ...(params.get('package') ? { packageId: params.get('package') } : {}),
      ...(from ? { fromVersions: from.split(',') } : {}),
      ...(devices ? { scopeKind: 'chosen', deviceIds: devices } : {}),
    }
  })
  const [packageId, setPackageId] = useState(params.get('package'))
  const chosen = usePackage(packageId).data
  const productId = chosen?.productId ?? null
  const { model, versions } = useProductFacts(productId, chosen?.module ?? null)
  const [named, setNamed] = useState<string | null>(null)
  const onPackage = useCallback((name: string | null) => setNamed(name), [])
  const fields = useMemo(() => {
    switch (step) {
      case 'package':
        return packageStep(t, { productId: params.get('product'), onPackage })
      case 'devices':
        return devicesStep(t, productId, versions)
      case 'way':
        return wayStep(t)
      case 'safety':
        return safetyStep(t, model, locale() === 'en')
      default:
        return []
    }
  }, [t, step, params, onPackage, productId, versions, model])
  const form = useSchemaForm(fields, initial)
  const { values, set } = form
  const current = (values.packageId as string | undefined) ?? null
  if (current !== packageId) setPackageId(current)
  // A name is offered until the person writes his own.
  const offered = named ?? (chosen ? `${chosen.productName} ${chosen.version}`.slice(0, 64) : null)
  const [offeredLast, setOfferedLast] = useState<string | null>(null)
  if (offered !== null && offered !== offeredLast) {
    setOfferedLast(offered)
    if (!values.name || values.name === offeredLast) set('name', offered)
  }
  const guard = useUnsavedGuard(form.dirty && !done)
  const { busy, failure, submit, clearFailure } = useFormSubmit(form, async () => {
    setDone(true)
    try {
      const made = await create.send({ body: campaignOf(values) })
      notify.success(t(made.state === 'scheduled' ? 'campaignScheduled' : 'campaignStarted', { name: made.name }))
      void navigate(campaignAddress(made.id), { replace: true })
    } catch (error) {
      setDone(false)
      throw error
    }
  })
  const at = STEPS.indexOf(step)
  const go = (to: number) => {
    clearFailure()
    setStep(STEPS[to]!)
    setSeen(Math.max(seen, to))
    window.scrollTo({ top: 0 })
  }
  const next = () => {
    if (step === 'check') return void submit()
    if (form.submit() !== null) go(at + 1)
  }
  return (
    <>
      <PageHeader
        title={t('newCampaign')}
        crumbs={[{ title: t('title'), to: listAddress('campaigns') }]}
        description={chosen ? `${chosen.productName} · ${chosen.name} ${chosen.version}` : t('newCampaignLead')}
      />
      <div className={own.wizard}>
        <section className={own.wizardCard} aria-label={t(`steps.${step}`)}>
          <StepBar
            steps={STEPS.map(key => ({ key, label: t(`steps.${key}`) }))}
            at={at}
            // One may go back at any time, and forward only over steps that were checked.
            onGo={to => {
              if (to < at || (to <= seen && form.submit() !== null)) go(to)
            }}
            seen={seen}
          />
          <form
            className={own.wizardBody}
            onSubmit={event => {
              event.preventDefault()
              next()
            }}
          >
            {failure && <FormAlert error={failure.error} rest={failure.rest} />}
            {step === 'check' ? (
              <WizardCheck values={values} chosen={chosen ?? null} onStep={to => go(STEPS.indexOf(to))} />
            ) : (
              <SchemaForm form={form} disabled={busy} />
            )}
            <button type="submit" hidden aria-hidden="true" tabIndex={-1} />
          </form>
          <footer className={own.wizardFoot}>
            <Button onClick={() => guard.ask(() => void navigate(listAddress('campaigns')))}>{t('cancel')}</Button>
            <span className={css.grow} />
            {at > 0 && <Button onClick={() => go(at - 1)}>{t('previousStep')}</Button>}
            <Button type="primary" loading={busy} onClick={next}>
              {step !== 'check' ? t('nextStep') : t(values.startMode === 'at' ? 'scheduleCampaign' : 'startCampaign')}
            </Button>
          </footer>
        </section>
        {packageId !== null && step !== 'package' && (
          <aside className={own.wizardSide}>
            <Preview packageId={packageId} values={values} />
            <PreviewNotes step={step} />
          </aside>
        )}
      </div>
      {guard.dialog}
    </>
  )
}

function idsIn(state: unknown): string[] | null {
  const ids = (state as { deviceIds?: unknown } | null)?.deviceIds
  return Array.isArray(ids) && ids.length > 0 && ids.every(id => typeof id === 'string') ? ids : null
}

/** What the product knows that the steps offer: its properties, and the versions its devices run. */
function useProductFacts(productId: string | null, module: string | null) {
  const mayRead = useMay('products.get')
  const product = useRead(
    'products.get',
    { params: { id: productId ?? '' } },
    { enabled: mayRead && productId !== null, staleTime: 60_000 },
  ).data
  const counts = useRead(
    'firmware.versions',
    { query: { productId: productId ?? '' } },
    { enabled: productId !== null },
  ).data
  const model = useMemo(
    () =>
      product ? { ...emptyModel(), ...((product.publishedModel ?? product.thingModel) as Partial<ThingModel>) } : null,
    [product],
  )
  const versions = useMemo(
    () =>
      (counts?.items ?? []).flatMap(each => (each.version !== null && each.module === module ? [each.version] : [])),
    [counts, module],
  )
  return { model, versions }
}
