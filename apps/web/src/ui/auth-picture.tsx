import { PictureOutlined } from '@ant-design/icons'
import { useEffect, useState } from 'react'
import { callRaw } from '../lib/api-client.ts'
import { useMade } from '../lib/server-state/use-read.ts'
import css from './auth-picture.module.css'

/** A kept picture: it is fetched with the person's token, which an address in a page cannot carry. */
export function AuthPicture({ id, alt }: { id: string; alt: string }) {
  const params = { id }
  const { data, isError } = useMade(
    'videoChannels.picture',
    { params },
    async ({ signal }) => (await callRaw('videoChannels.picture', { params, signal })).blob(),
    { staleTime: Number.POSITIVE_INFINITY, retry: false },
  )
  const [url, setUrl] = useState<string | null>(null)
  useEffect(() => {
    if (!data) return
    const made = URL.createObjectURL(data)
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [data])
  if (isError || url === null)
    return (
      <span className={css.noPicture} data-loading={!isError}>
        {isError && <PictureOutlined aria-label={alt} />}
      </span>
    )
  return <img className={css.picture} src={url} alt={alt} />
}
