<?php

declare(strict_types=1);

namespace Panel\Billing;

/** Conceals secrets in logs, in every form that they can take. */
final class Secrets
{
    // Anything shorter is no secret, and would blot out half of every text.
    private const MIN_LENGTH = 4;

    /** @var array<string, string> each form of each secret, and what stands in for it */
    private $forms = [];

    public function add(
        #[\SensitiveParameter]
        string $secret
    ): void {
        $decoded = html_entity_decode($secret, ENT_QUOTES | ENT_HTML5, 'UTF-8');
        foreach (array_unique([$secret, $decoded]) as $plain) {
            foreach (self::formsOf($plain) as $form) {
                if (strlen($form) >= self::MIN_LENGTH) {
                    $this->forms[$form] = '***';
                }
            }
        }
    }

    public function conceal(string $text): string
    {
        return $this->forms === [] ? $text : strtr($text, $this->forms);
    }

    /** @return string[] for systems that conceal secrets in messages by themselves */
    public function all(): array
    {
        return array_map('strval', array_keys($this->forms));
    }

    /** @return string[] */
    private static function formsOf(
        #[\SensitiveParameter]
        string $plain
    ): array {
        $forms = [$plain, rawurlencode($plain), urlencode($plain), addslashes($plain)];
        foreach ([ENT_QUOTES, ENT_COMPAT, ENT_NOQUOTES] as $quotes) {
            $forms[] = htmlspecialchars($plain, $quotes | ENT_SUBSTITUTE, 'UTF-8');
        }
        foreach ([0, JSON_UNESCAPED_SLASHES] as $slashes) {
            foreach ([0, JSON_UNESCAPED_UNICODE] as $unicode) {
                $json = json_encode($plain, $slashes | $unicode | JSON_PARTIAL_OUTPUT_ON_ERROR);
                $forms[] = substr((string) $json, 1, -1);
            }
        }
        $encoded = rawurlencode($plain);
        // As JavaScript encodes, and as those do who write hexadecimal digits small.
        $forms[] = str_replace(['%21', '%27', '%28', '%29', '%2A'], str_split("!'()*"), $encoded);
        $forms[] = (string) preg_replace_callback(
            '/%[0-9A-F]{2}/',
            static function (array $code): string {
                return strtolower($code[0]);
            },
            $encoded
        );
        return array_unique($forms);
    }
}
