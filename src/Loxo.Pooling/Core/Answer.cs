using System.Diagnostics.CodeAnalysis;

namespace Loxo.Pooling.Core;

/// <summary>Yes or no, known already or awaited. One that is known allocates nothing.</summary>
internal readonly struct Answer
{
    private readonly bool _known;
    private readonly Task<bool>? _awaited;

    private Answer(bool known, Task<bool>? awaited) => (_known, _awaited) = (known, awaited);

    public static Answer Yes => new(true, null);

    /// <summary>Whether the answer is known to be yes.</summary>
    public bool IsYes => _known && _awaited is null;

    [SuppressMessage("Reliability", "CA2012:Use ValueTasks correctly", Justification = "Consumed once: by Result or by AsTask.")]
    public static Answer Of(ValueTask<bool> answer) =>
        answer.IsCompletedSuccessfully ? new Answer(answer.Result, null) : new Answer(false, answer.AsTask());

    public static Answer Of(Task<bool> answer) => new(false, answer);

    public static Answer Failed(Exception error) => new(false, Task.FromException<bool>(error));

    public Task<bool> Get() => _awaited ?? Task.FromResult(_known);
}
