import { useEffect, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { call, type Reply } from '../../lib/api-client.ts'
import { errorFacts, isSilent } from '../../lib/errors.ts'
import { formatDate, formatDateTime } from '../../lib/format.ts'
import { locale } from '../../lib/i18n.ts'
import { useSession } from '../../lib/session.ts'
import { DiffView } from './documents/diff-view.tsx'
import { DOCUMENT_VERSIONS, isInForce, loadDocument } from './documents/documents.ts'
import { Markdown } from './markdown/markdown.tsx'
import { parseMarkdown } from './markdown/parse-markdown.ts'
import { PageFrame } from './page-frame.tsx'
import css from './public-pages.module.css'

type Consents = Reply<'consents.mine'>

/** Terms of service and privacy policy: every version, what changed, and what the signed-in person agreed to. */
export function TermsPage() {
  const { t } = useTranslation('public-pages')
  const signedIn = useSession(s => s.token !== null)
  const [consents, setConsents] = useState<Consents | null>(null)
  const load = useMemo(
    () => async () => {
      try {
        setConsents(await call('consents.mine'))
      } catch (error) {
        // The texts can be read all the same; who must sign in again is told so elsewhere.
        if (!isSilent(error)) setConsents(null)
      }
    },
    [],
  )
  useEffect(() => {
    if (signedIn) void load()
  }, [signedIn, load])
  return (
    <PageFrame
      title={t('terms.title')}
      lead={t('terms.lead')}
      anchors={[
        ...DOCUMENT_VERSIONS.map(({ document }) => ({ id: document, label: t(`terms.document.${document}`) })),
        ...(signedIn ? [{ id: 'consents', label: t('terms.mine') }] : []),
      ]}
    >
      {DOCUMENT_VERSIONS.map(({ document, versions }) => (
        <DocumentView key={document} document={document} versions={versions} consents={consents} onAgreed={load} />
      ))}
      {signedIn && (
        <section aria-labelledby="consents">
          <h2 id="consents">{t('terms.mine')}</h2>
          {consents === null || consents.items.length === 0 ? (
            <p>{t('terms.noConsents')}</p>
          ) : (
            <div className={css.tableScroll}>
              <table className={css.plain}>
                <thead>
                  <tr>
                    <th>{t('terms.documentTitle')}</th>
                    <th>{t('terms.version')}</th>
                    <th>{t('terms.agreedAt')}</th>
                    <th>{t('terms.from')}</th>
                  </tr>
                </thead>
                <tbody>
                  {consents.items.map(item => (
                    <tr key={`${item.document}/${item.version}/${item.at}`}>
                      <td>{t(`terms.document.${item.document}`, { defaultValue: item.document })}</td>
                      <td>{item.version}</td>
                      <td>{formatDateTime(item.at)}</td>
                      <td>{item.ip ?? '–'}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          )}
        </section>
      )}
    </PageFrame>
  )
}

function DocumentView({
  document,
  versions,
  consents,
  onAgreed,
}: {
  document: string
  versions: readonly string[]
  consents: Consents | null
  onAgreed: () => Promise<void>
}) {
  const { t } = useTranslation('public-pages')
  const language = locale()
  const [version, setVersion] = useState(versions[0] ?? '')
  const [compare, setCompare] = useState(false)
  const [texts, setTexts] = useState<{ key: string; text: string; before: string | null } | 'failed' | null>(null)
  const previous = versions[versions.indexOf(version) + 1] ?? null
  const key = `${version}/${language}`
  useEffect(() => {
    let gone = false
    Promise.all([
      loadDocument(document, version, language),
      previous === null ? null : loadDocument(document, previous, language),
    ]).then(
      ([text, before]) => {
        if (!gone) setTexts({ key, text, before })
      },
      () => {
        if (!gone) setTexts('failed')
      },
    )
    return () => {
      gone = true
    }
  }, [document, version, previous, language, key])
  const blocks = useMemo(
    () =>
      texts !== null && texts !== 'failed'
        ? parseMarkdown(texts.text, `${document}-`).filter(block => !(block.kind === 'heading' && block.level === 1))
        : [],
    [texts, document],
  )
  const due = consents?.due.find(each => each.document === document)
  const agreed = consents?.items.find(item => item.document === document && item.version === version)
  return (
    <section aria-labelledby={document}>
      <h2 id={document}>{t(`terms.document.${document}`)}</h2>
      <div className={css.versionRow}>
        <label>
          {t('terms.version')}{' '}
          <select value={version} onChange={event => setVersion(event.target.value)}>
            {versions.map(each => (
              <option key={each} value={each}>
                {each}
              </option>
            ))}
          </select>
        </label>
        <span>
          {isInForce(version, new Date().toISOString().slice(0, 10))
            ? t('terms.since', { day: formatDate(version) })
            : t('terms.from_day', { day: formatDate(version) })}
        </span>
        {agreed && <span className={css.agreed}>{t('terms.agreedOn', { day: formatDate(agreed.at) })}</span>}
        {previous === null ? (
          <span className={css.count}>{t('terms.first')}</span>
        ) : (
          <button type="button" className={css.button} aria-pressed={compare} onClick={() => setCompare(!compare)}>
            {compare ? t('terms.read') : t('terms.compare', { version: previous })}
          </button>
        )}
      </div>
      {due && version === due.version && <Agree document={document} version={version} onAgreed={onAgreed} />}
      {texts === 'failed' ? (
        <p role="alert">{t('terms.failed')}</p>
      ) : texts === null ? (
        <div className={css.skeleton} aria-hidden="true">
          <span />
          <span />
          <span />
        </div>
      ) : compare && texts.before !== null ? (
        <DiffView before={texts.before} after={texts.text} />
      ) : (
        <Markdown blocks={blocks} level={2} />
      )}
    </section>
  )
}

function Agree({ document, version, onAgreed }: { document: string; version: string; onAgreed: () => Promise<void> }) {
  const { t } = useTranslation('public-pages')
  const [failure, setFailure] = useState('')
  const [busy, setBusy] = useState(false)
  const agree = async () => {
    setBusy(true)
    setFailure('')
    try {
      await call('consents.give', { body: { document, version } })
      await onAgreed()
    } catch (error) {
      if (!isSilent(error)) setFailure(errorFacts(error).message)
    } finally {
      setBusy(false)
    }
  }
  return (
    <div className={css.note}>
      <p>{t('terms.dueText')}</p>
      <button type="button" className={css.primary} disabled={busy} onClick={() => void agree()}>
        {t('terms.agree')}
      </button>
      {failure !== '' && (
        <p role="alert" className={css.warn}>
          {failure}
        </p>
      )}
    </div>
  )
}
