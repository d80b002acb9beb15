import { Alert, Button } from 'antd'
import { useDeferredValue } from 'react'
import { useTranslation } from 'react-i18next'
import { ApiError, type Body, type Reply } from '../../../lib/api-client.ts'
import { errorFacts } from '../../../lib/errors.ts'
import { settled, useRead } from '../../../lib/server-state/use-read.ts'
import { Panel } from '../../../ui/panel.tsx'
import { MonoBox } from '../mono-box.tsx'
import { shownBody } from '../payload-text.ts'
import css from '../subscriptions.module.css'

export type PreviewRequest = Body<'subscriptions.preview'>
export type Preview = Reply<'subscriptions.preview'>

/** What would be sent of the last real item; asked again as the settings are typed. */
export function usePreview(request: PreviewRequest | null) {
  // Typing goes first; the answer follows when there is time.
  const asked = useDeferredValue(request === null ? '' : JSON.stringify(request))
  return useRead(
    'subscriptions.preview',
    { body: JSON.parse(asked || '{}') as PreviewRequest },
    { enabled: asked !== '', keep: true, staleTime: 10_000, through: settled() },
  )
}

/** The payload on a real sample, with what is wrong with the template. */
export function PayloadPreview({
  request,
  single,
  title,
}: {
  request: PreviewRequest | null
  /** A message broker's message holds one item; a webhook's body holds a list. */
  single: boolean
  title: string
}) {
  const { t } = useTranslation('subscriptions')
  const preview = usePreview(request)
  const { data } = preview
  const text = data ? (single ? data.message : data.body) : ''
  return (
    <Panel
      title={title}
      hint={data ? t(data.real ? 'sampleReal' : 'sampleMade') : t('previewHint')}
      actions={
        <Button size="small" loading={preview.isFetching} onClick={() => void preview.refetch()}>
          {t('anotherSample')}
        </Button>
      }
    >
      <div className={css.column} aria-live="polite" data-testid="payload-preview">
        {request === null ? (
          <p className={css.text}>{t('previewNothing')}</p>
        ) : preview.isError ? (
          <Alert type="warning" showIcon title={wordsOf(preview.error)} />
        ) : data ? (
          <>
            {data.problems.map(problem => (
              <Alert
                key={`${problem.at}${problem.code}`}
                type={problem.code === 'syntax' ? 'error' : 'warning'}
                showIcon
                title={t(`problem.${problem.code}`, { text: problem.text, at: problem.at + 1 })}
              />
            ))}
            {text !== '' && (
              <MonoBox
                label={t('preview')}
                head={<code>{data.contentType}</code>}
                text={shownBody(text)}
                copied={text}
              />
            )}
          </>
        ) : (
          <div className={css.boxBone} />
        )}
      </div>
    </Panel>
  )
}

/** What stands first of a refusal: the field's own words, else those of the whole. */
function wordsOf(error: unknown): string {
  const [field] = error instanceof ApiError ? Object.values(error.fields) : []
  return field?.message ?? errorFacts(error).message
}
