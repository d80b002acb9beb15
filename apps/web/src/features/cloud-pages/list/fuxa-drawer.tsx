import { SUFFIX_PATTERN } from '@thingwright/contracts/cloud-pages.words'
import { fromFuxa } from '@thingwright/scene/fuxa/from-fuxa'
import { Alert, Button, Checkbox, Drawer, Input } from 'antd'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { errorFacts } from '../../../lib/errors.ts'
import { notify } from '../../../lib/notify.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import css from '../cloud-pages.module.css'
import { editorAt, suffixFor } from '../hooks.ts'

type Outcome = { id: string } | { error: string }

/** Pages of a FUXA project: which are made, what of them is left out and why, and what a device must have for them. */
export function FuxaDrawer({ project, name, onClose }: { project: unknown; name: string; onClose: () => void }) {
  const { t } = useTranslation('cloud-pages')
  const [suffix, setSuffix] = useState(() => suffixFor(name.replace(/\.[a-z]+$/i, '')))
  const isRight = new RegExp(SUFFIX_PATTERN).test(suffix) && suffix.length <= 28
  const found = useMemo(() => fromFuxa(project, suffix), [project, suffix])
  const [without, setWithout] = useState<ReadonlySet<number>>(new Set())
  const [outcomes, setOutcomes] = useState<ReadonlyMap<number, Outcome>>(new Map())
  const [working, setWorking] = useState(false)
  const create = useAct('cloudPages.create')
  const waiting = found.pages.flatMap((page, i) => {
    const outcome = outcomes.get(i)
    return without.has(i) || (outcome && 'id' in outcome) ? [] : [{ page, i }]
  })
  const make = async () => {
    setWorking(true)
    let made = 0
    for (const { page, i } of waiting) {
      const outcome = await create.send({ body: page }).then(
        ({ id }): Outcome => ({ id }),
        (error: unknown): Outcome => ({ error: saidOf(error) }),
      )
      if ('id' in outcome) made++
      setOutcomes(before => new Map(before).set(i, outcome))
    }
    setWorking(false)
    if (made > 0) notify.success(t('fuxa.made', { count: made }))
  }
  return (
    <Drawer
      open
      size={640}
      title={t('fuxa.title', { name })}
      onClose={onClose}
      footer={
        <Button
          type="primary"
          loading={working}
          disabled={!isRight || waiting.length === 0}
          onClick={() => void make()}
        >
          {t('fuxa.make', { count: waiting.length })}
        </Button>
      }
    >
      <p className={css.note}>{t('fuxa.text')}</p>
      <label className={css.label} htmlFor="fuxa-suffix">
        {t('fuxa.suffix')}
      </label>
      <Input
        id="fuxa-suffix"
        value={suffix}
        maxLength={28}
        disabled={working}
        {...(isRight ? {} : { status: 'error' as const })}
        onChange={event => setSuffix(event.target.value)}
      />
      {!isRight && (
        <p className={css.note} role="alert">
          {t('suffixRule')}
        </p>
      )}
      {found.pages.length === 0 && <Alert type="warning" showIcon title={t('fuxa.none')} />}
      <ul className={css.links}>
        {found.pages.map((page, i) => {
          const outcome = outcomes.get(i)
          return (
            <li key={page.suffix}>
              <Checkbox
                checked={!without.has(i)}
                disabled={working || outcome !== undefined}
                onChange={event =>
                  setWithout(before => {
                    const next = new Set(before)
                    if (event.target.checked) next.delete(i)
                    else next.add(i)
                    return next
                  })
                }
              >
                {page.name}
              </Checkbox>
              <span className={css.grow}>
                <code>{`page/${page.suffix}`}</code>
                {outcome && 'error' in outcome && (
                  <div className={css.note} role="alert">
                    {outcome.error}
                  </div>
                )}
              </span>
              {outcome && 'id' in outcome ? (
                <a href={editorAt(outcome.id)}>{t('edit')}</a>
              ) : (
                <span className={css.note}>{t('elementsCount', { count: page.scene.nodes.length })}</span>
              )}
            </li>
          )
        })}
      </ul>
      {found.left.length > 0 && (
        <section aria-label={t('fuxa.left')}>
          <h3>{t('fuxa.leftTitle', { count: found.left.length })}</h3>
          <ul className={css.links}>
            {found.left.map((each, i) => (
              <li key={i}>
                <span className={css.grow}>
                  {[each.view, each.name].filter(Boolean).join(' · ')}
                  <br />
                  <span className={css.note}>
                    {t(`fuxa.reasons.${each.reason}`)}
                    {each.what === '' ? '' : ` (${each.what})`}
                  </span>
                </span>
              </li>
            ))}
          </ul>
        </section>
      )}
      {found.tags.length > 0 && (
        <section aria-label={t('fuxa.tags')}>
          <h3>{t('fuxa.tags')}</h3>
          <p className={css.note}>{t('fuxa.tagsText')}</p>
          <ul className={css.links}>
            {found.tags.map(tag => (
              <li key={`${tag.role}.${tag.point}`}>
                <span className={css.grow}>{`${tag.device} · ${tag.tag}`}</span>
                <code>{`${tag.role}.${tag.point}`}</code>
              </li>
            ))}
          </ul>
        </section>
      )}
    </Drawer>
  )
}

/** Why a page was refused, with the first place in it that is wrong. */
function saidOf(error: unknown): string {
  const [first] = Object.values((error as { fields?: Record<string, { message: string }> }).fields ?? {})
  return [errorFacts(error).message, first?.message].filter(Boolean).join(' ')
}
