import type { FirmwarePackageView } from '@thingwright/contracts/firmware.contract'
import { Alert, Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { formatBytes } from '../../../lib/format.ts'
import { Facts } from '../../../ui/panel.tsx'
import type { Values } from '../../../ui/schema-form/field.ts'
import { StatusTag } from '../../../ui/status-tag.tsx'
import { type PlanFact, planFacts } from '../components/plan-facts.tsx'
import { VersionText } from '../components/version-text.tsx'
import css from '../ota.module.css'
import { signOfPackage } from '../words.ts'
import own from './campaigns.module.css'
import { campaignOf } from './plan-values.ts'
import type { Step } from './wizard-fields.tsx'

/** Everything once more before it begins, with a way back to each part. */
export function WizardCheck({
  values,
  chosen,
  onStep,
}: {
  values: Values
  chosen: FirmwarePackageView | null
  onStep: (step: Step) => void
}) {
  const { t } = useTranslation('ota')
  const { name, packageId: _, ...body } = campaignOf(values)
  const facts = planFacts(t, {
    window: null,
    preconditions: [],
    autoStop: null,
    startAt: null,
    endAt: null,
    ...body,
  } as Parameters<typeof planFacts>[1])
  const parts: { step: Step; facts: PlanFact[] }[] = [
    {
      step: 'package',
      facts: [
        { label: t('campaignName'), value: <span dir="auto">{name}</span> },
        ...(chosen
          ? [
              {
                label: t('targetVersion'),
                value: (
                  <VersionText
                    from={chosen.kind === 'delta' ? chosen.fromVersion : undefined}
                    version={chosen.version}
                  />
                ),
              },
              { label: t('size'), value: formatBytes(chosen.size) },
              {
                label: t('state'),
                value: <StatusTag kind={signOfPackage(chosen.state)}>{t(`packageState.${chosen.state}`)}</StatusTag>,
              },
            ]
          : []),
      ],
    },
    { step: 'devices', facts: facts.devices },
    { step: 'way', facts: facts.way },
    { step: 'safety', facts: facts.safety },
  ]
  return (
    <div className={css.stack}>
      {chosen && chosen.state !== 'verified' && <Alert type="warning" showIcon title={t('notVerified')} />}
      {values.autoStopOn !== true && <Alert type="warning" showIcon title={t('noAutoStop')} />}
      {parts.map(part => (
        <section key={part.step} className={own.checkPart}>
          <header className={css.headRow}>
            <h3 className={css.heading}>{t(`steps.${part.step}`)}</h3>
            <Button type="link" size="small" onClick={() => onStep(part.step)}>
              {t('change')}
            </Button>
          </header>
          <Facts items={part.facts} />
        </section>
      ))}
    </div>
  )
}
