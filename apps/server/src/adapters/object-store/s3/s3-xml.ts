/** The few XML forms that an S3 store and its client exchange (Amazon S3 API reference, 2006-03-01). */

/** Text of the first element of the name; null when there is none. */
export function textOf(xml: string, name: string): string | null {
  const found = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)
  return found ? unescapeXml(found[1]!) : null
}

/** Body of CompleteMultipartUpload. @param tags ETag of every part, in order */
export function multipartBody(tags: readonly string[]): string {
  const parts = tags.map((tag, i) => `<Part><PartNumber>${i + 1}</PartNumber><ETag>${escapeXml(tag)}</ETag></Part>`)
  return `<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${parts.join('')}</CompleteMultipartUpload>`
}

/** A page of ListObjectsV2 and where the next one begins. */
export function listing(xml: string): { items: { key: string; size: number }[]; next: string | null } {
  const items = [...xml.matchAll(/<Contents>(.*?)<\/Contents>/gs)].map(([, inner]) => ({
    key: textOf(inner!, 'Key') ?? '',
    size: Number(textOf(inner!, 'Size') ?? 0),
  }))
  return { items, next: textOf(xml, 'IsTruncated') === 'true' ? textOf(xml, 'NextContinuationToken') : null }
}

function escapeXml(text: string): string {
  return text.replace(/[&<>"]/g, c => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c]!)
}

function unescapeXml(text: string): string {
  return text.replace(
    /&(amp|lt|gt|quot|apos|#\d+|#x[0-9a-fA-F]+);/g,
    (_, name: string) =>
      ({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" })[name] ??
      String.fromCodePoint(name[1] === 'x' ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1))),
  )
}
