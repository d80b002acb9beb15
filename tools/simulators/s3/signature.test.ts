import { describe, expect, it } from 'vitest'
import { checkSignature } from './signature.ts'

// The GET Object example of the Amazon S3 API reference ("Signature Calculations for the Authorization Header").
const credentials = {
  accessKey: 'AKIAIOSFODNN7EXAMPLE',
  secretKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  region: 'us-east-1',
}
const at = Date.UTC(2013, 4, 24)
const example = (over: Record<string, string> = {}) => ({
  method: 'GET',
  target: '/test.txt',
  headers: {
    host: 'examplebucket.s3.amazonaws.com',
    range: 'bytes=0-9',
    'x-amz-content-sha256': 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    'x-amz-date': '20130524T000000Z',
    authorization:
      'AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
    ...over,
  },
})

describe('the signature check of the simulated store', () => {
  it('takes the example of the documentation', () => {
    expect(checkSignature(example(), credentials, at)).toBeNull()
  })

  it.each([
    ['another range', example({ range: 'bytes=0-99' }), 'SignatureDoesNotMatch'],
    ['another path', { ...example(), target: '/other.txt' }, 'SignatureDoesNotMatch'],
    ['another method', { ...example(), method: 'DELETE' }, 'SignatureDoesNotMatch'],
    ['an unsigned header of the store', example({ 'x-amz-acl': 'public-read' }), 'AccessDenied'],
    ['no signature', example({ authorization: '' }), 'AccessDenied'],
    ['another scheme', example({ authorization: 'Basic QQ==' }), 'AuthorizationHeaderMalformed'],
  ])('refuses %s', (_, request, problem) => {
    expect(checkSignature(request, credentials, at)).toBe(problem)
  })

  it('refuses an old request, another key, another secret', () => {
    expect(checkSignature(example(), credentials, at + 16 * 60_000)).toBe('RequestTimeTooSkewed')
    expect(checkSignature(example(), { ...credentials, accessKey: 'X' }, at)).toBe('InvalidAccessKeyId')
    expect(checkSignature(example(), { ...credentials, secretKey: 'X' }, at)).toBe('SignatureDoesNotMatch')
  })
})
