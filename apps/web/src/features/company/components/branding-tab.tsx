import type { CompanyView } from '@thingwright/contracts/company.contract'
import { contrast } from '@thingwright/contracts/contrast'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { Body } from '../../../lib/api-client.ts'
import { locale } from '../../../lib/i18n.ts'
import { notify } from '../../../lib/notify.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { TOKENS } from '../../../lib/tokens.ts'
import { LogoInput } from '../../../ui/logo-input/logo-input.tsx'
import { Panel } from '../../../ui/panel.tsx'
import type { Field } from '../../../ui/schema-form/field.ts'
import { useSchemaForm } from '../../../ui/schema-form/use-schema-form.ts'
import css from '../company.module.css'
import { useCompanyChanged } from '../hooks.ts'
import { FormPanel } from './form-panel.tsx'

const LEAST_CONTRAST = 4.5

/** Title, logo and colour, with a look at the result beside the form. */
export function BrandingTab({ company, mayWrite }: { company: CompanyView; mayWrite: boolean }) {
  const { t } = useTranslation('company')
  const setBranding = useAct('account.setBranding', { done: useCompanyChanged() })
  const fields = useMemo<Field[]>(
    () => [
      {
        kind: 'string',
        key: 'title',
        label: t('brandTitle'),
        help: t('brandTitleHelp'),
        maxLength: 32,
        half: true,
        cleared: '',
      },
      { kind: 'string', key: 'titleEn', label: t('brandTitleEn'), maxLength: 48, half: true, cleared: '' },
      {
        kind: 'custom',
        key: 'logo',
        label: t('logo'),
        help: t('logoHelp'),
        render: ({ id, value, onChange, disabled }) => (
          <LogoInput id={id} value={String(value ?? '')} onChange={onChange} disabled={disabled} />
        ),
      },
      {
        kind: 'color',
        key: 'colour',
        label: t('colour'),
        help: t('colourHelp'),
        check: value =>
          typeof value === 'string' && /^#[0-9a-f]{6}$/i.test(value) && contrast(value, '#ffffff') < LEAST_CONTRAST
            ? t('colourUnreadable', { contrast: contrast(value, '#ffffff').toFixed(1) })
            : null,
      },
    ],
    [t],
  )
  const form = useSchemaForm(fields, { ...company.branding })
  const { title, titleEn, logo, colour } = form.values as {
    title?: string
    titleEn?: string
    logo?: string
    colour?: string | null
  }
  return (
    <div className={css.two}>
      <FormPanel
        title={t('tab.branding')}
        hint={t('brandingHint')}
        form={form}
        disabled={!mayWrite}
        onSave={async values => {
          const body = { title: '', titleEn: '', logo: '', colour: null, ...form.values, ...values }
          await setBranding.send({ body: { ...body, version: company.version } as Body<'account.setBranding'> })
          notify.success(t('saved'))
        }}
      />
      <Panel title={t('preview')} flush>
        <Preview
          title={(locale() === 'en' ? titleEn || title : title || titleEn) || t('productTitle')}
          logo={logo ?? ''}
          colour={colour && /^#[0-9a-f]{6}$/i.test(colour) ? colour : TOKENS.light.primary}
        />
      </Panel>
    </div>
  )
}

function Preview({ title, logo, colour }: { title: string; logo: string; colour: string }) {
  const { t } = useTranslation('company')
  const ratio = contrast(colour, '#ffffff')
  return (
    <div className={css.preview} data-testid="branding-preview">
      <div className={css.previewHead}>
        {logo && <img src={logo} alt="" />}
        <span className={css.previewTitle} title={title}>
          {title}
        </span>
      </div>
      <div className={css.previewBody}>
        <span className={css.previewButton} style={{ background: colour }}>
          {t('sampleButton')}
        </span>
        <span style={{ color: colour }}>{t('sampleLink')}</span>
      </div>
      <p className={`${css.note} ${ratio < LEAST_CONTRAST ? css.bad : ''}`}>
        {t('contrast', { ratio: ratio.toFixed(1), least: LEAST_CONTRAST })}
      </p>
    </div>
  )
}
