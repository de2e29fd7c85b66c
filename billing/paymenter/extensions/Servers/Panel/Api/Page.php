<?php

declare(strict_types=1);

namespace Panel\Billing;

use App\Models\Service;
use Illuminate\Support\Facades\Log;

/**
 * The page of a service. A customer cannot repair an unreachable panel: every failure becomes a
 * message on the page, and the log has the reason.
 */
final class Page
{
    // For as long as it takes to read the question.
    private const ASKED_SECONDS = 120;

    public function __construct(private Service $service)
    {
    }

    /** @return array<int, array<string, string>> */
    public function actions(string $username, Connection $connection): array
    {
        $login = ['type' => 'button', 'label' => 'Log in to the panel', 'function' => 'login'];
        if (Release::problem() !== '') {
            // It shows no rows, and would lose a new password on its way.
            return [$login];
        }
        return [
            $login,
            ...$this->passwordActions(),
            ['type' => 'text', 'label' => 'Username', 'text' => $username],
            ...Usage::rows($this->service, $username, $connection),
        ];
    }

    /** @param callable(): mixed $work */
    public function attempt(callable $work): mixed
    {
        try {
            return $work();
        } catch (\Throwable $thrown) {
            Log::warning('Panel: ' . Text::line($thrown->getMessage()));
            session()->flash('notification', [
                'type' => 'error',
                'message' => 'The control panel cannot do this now. Please try again later.',
            ]);
            return $this->url();
        }
    }

    /** The page itself, which asks when it is drawn the next time. */
    public function ask(): string
    {
        session()->put($this->question(), time());
        return $this->url();
    }

    /** Whether the question was read: a page that was left open does not answer it. */
    public function isConfirmed(): bool
    {
        $askedAt = (int) session()->get($this->question());
        return $askedAt > time() - self::ASKED_SECONDS;
    }

    public function forget(): void
    {
        session()->forget($this->question());
    }

    /** @return array<int, array<string, string>> */
    private function passwordActions(): array
    {
        if (!$this->isConfirmed()) {
            return [['type' => 'button', 'label' => 'New password', 'function' => 'resetPassword']];
        }
        $label = 'Yes, a new password';
        return [
            ['type' => 'button', 'label' => $label, 'function' => 'makePassword'],
            [
                'type' => 'text',
                'label' => 'New password',
                'text' => 'The one of now ends. The new one comes as a text file, and only once.',
            ],
        ];
    }

    private function question(): string
    {
        return "panel-password-{$this->service->id}";
    }

    private function url(): string
    {
        return route('services.show', $this->service->id);
    }
}
