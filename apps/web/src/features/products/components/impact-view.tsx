import type { ModelImpact } from '@thingwright/contracts/thing-models.contract'
import { Alert, Checkbox } from 'antd'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '../../../lib/format.ts'
import css from '../products.module.css'
import { ChangeList } from './change-list.tsx'

const texts = (value: unknown): string[] => (Array.isArray(value) ? value.filter(item => typeof item === 'string') : [])

/** Changes that can hurt; a first publication hurts nobody. */
export function breakingCount(impact: ModelImpact, first: boolean): number {
  return first ? 0 : impact.changes.filter(change => change.breaking).length
}

/** What a change of the published model would do: the changes, whom they touch, and what relies on what they touch. */
export function ImpactView({
  impact,
  first,
  agreed,
  onAgree,
}: {
  impact: ModelImpact
  /** Nothing was published before. */
  first: boolean
  agreed: boolean
  onAgree: (agreed: boolean) => void
}) {
  const { t } = useTranslation('products')
  const breaking = breakingCount(impact, first)
  const changes = impact.changes.map(change => ({
    ...change,
    attributes: texts(change.detail.attributes),
    breaking: first ? [] : texts(change.detail.breaking),
  }))
  return (
    <>
      {breaking > 0 && (
        <Alert
          className={css.alert ?? ''}
          type="warning"
          showIcon
          title={t('breakingTitle', { count: breaking })}
          description={t('breakingText')}
        />
      )}
      {impact.uses.length > 0 && (
        <section className={css.uses}>
          <h3>{t('impact.uses')}</h3>
          <ul>
            {impact.uses.map(use => (
              <li key={`${use.kind}/${use.of}/${use.identifier}`}>
                <code>{use.identifier}</code>{' '}
                {t(`impact.kind.${use.kind}`, { defaultValue: use.kind, count: use.count })}
                {use.examples.length > 0 && (
                  <span className={css.useNames}>
                    {use.examples.map(example => example.name).join(t('listSeparator'))}
                  </span>
                )}
              </li>
            ))}
          </ul>
        </section>
      )}
      {changes.length === 0 ? <p>{t('noChanges')}</p> : <ChangeList changes={changes} />}
      {breaking > 0 && (
        <Checkbox checked={agreed} onChange={event => onAgree(event.target.checked)}>
          {t('breakingAgree', { devices: formatNumber(impact.deviceCount) })}
        </Checkbox>
      )}
    </>
  )
}
