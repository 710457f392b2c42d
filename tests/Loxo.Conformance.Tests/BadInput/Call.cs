using System.Reflection;

namespace Loxo.Conformance.BadInput;

/// <summary>A call of a public member with arguments of which one at most is bad.</summary>
internal sealed class Call
{
    private static readonly TimeSpan Patience = TimeSpan.FromMinutes(1);

    private readonly MethodBase _method;
    private readonly object?[] _arguments;
    private readonly ParameterInfo? _bad;

    private Call(MethodBase method, object?[] arguments, ParameterInfo? bad) => (_method, _arguments, _bad) = (method, arguments, bad);

    /// <summary>Whether the call has only sensible arguments.</summary>
    public bool IsSensible => _bad is null;

    public bool IsStatic => _method.IsStatic || _method is ConstructorInfo;

    /// <summary>The calls of a member: a sensible one, and one for each bad value of each parameter.</summary>
    public static IEnumerable<Func<Call>> Of(MethodBase method)
    {
        var parameters = method.GetParameters();
        yield return () => new(method, [.. parameters.Select(Arguments.Good)], null);
        for (var i = 0; i < parameters.Length; i++)
        {
            var position = i;
            for (var n = 0; n < Arguments.Bad(parameters[i]).Count(); n++)
            {
                var number = n;
                yield return () =>
                {
                    object?[] arguments = [.. parameters.Select(Arguments.Good)];
                    arguments[position] = Arguments.Bad(parameters[position]).ElementAt(number);
                    return new(method, arguments, parameters[position]);
                };
            }
        }
    }

    /// <summary>What is wrong with the answer; null if it is documented.</summary>
    public async Task<string?> Try(Subject subject)
    {
        try
        {
            var result = await Task.Run(() => Run(subject)).WaitAsync(Patience);
            await Discard(result, subject);
            return null;
        }
        catch (TimeoutException) when (!IsDocumented(typeof(TimeoutException)))
        {
            return "it hangs";
        }
        catch (Exception e)
        {
            var error = e is TargetInvocationException { InnerException: { } inner } ? inner : e;
            return IsAllowed(error) ? null
                : $"{error.GetType().Name}: {error.Message.ReplaceLineEndings(" ")} at {error.StackTrace?.Split('\n')[0].Trim()}";
        }
    }

    public override string ToString() =>
        $"{(_method is ConstructorInfo ? "new" : _method.Name)}({string.Join(", ", _arguments.Select(Show))})";

    private static string Show(object? value) => value switch
    {
        null => "null",
        string { Length: > 30 } text => $"\"{text[..10]}...\"",
        string text => $"\"{text.Replace("\0", "\\0").Replace("\ud800", "\\ud800")}\"",
        _ => value.ToString() ?? "",
    };

    private async Task<object?> Run(Subject subject)
    {
        var isAsync = _method.Name.EndsWith("Async", StringComparison.Ordinal);
        object? result = null;
        if (isAsync)
            result = Invoke(subject.Instance);
        else
            await WaitMode.Blocking.Run(() => result = Invoke(subject.Instance), () => Task.CompletedTask);
        return result switch
        {
            Task task => await Awaited(task),
            ValueTask task => await Awaited(task.AsTask()),
            not null when result.GetType() is { IsGenericType: true } type && type.GetGenericTypeDefinition() == typeof(ValueTask<>) =>
                await Awaited((Task)type.GetMethod(nameof(ValueTask<int>.AsTask))!.Invoke(result, null)!),
            _ => result,
        };
    }

    private object? Invoke(object instance) => _method is ConstructorInfo constructor
        ? constructor.Invoke(_arguments)
        : _method.Invoke(_method.IsStatic ? null : instance, _arguments);

    private static async Task<object?> Awaited(Task task)
    {
        await task;
        return task.GetType().GetProperty("Result") is { } result && result.PropertyType.Name != "VoidTaskResult" ? result.GetValue(task) : null;
    }

    // A reader, a transaction or the like that the call returned; a getter of the subject's own parts returns nothing to dispose of.
    private async Task Discard(object? result, Subject subject)
    {
        if (_method.IsSpecialName && _method is not ConstructorInfo || ReferenceEquals(result, subject.Instance) || ReferenceEquals(result, subject.Connection)
            || ReferenceEquals(result, PgFactory.Instance))
            return;
        if (result is IAsyncDisposable asynchronous)
            await asynchronous.DisposeAsync();
        else if (result is IDisposable disposable)
            disposable.Dispose();
    }

    private bool IsAllowed(Exception error)
    {
        // The signature itself says that null is not wanted, that a token cancels, and which members an enumeration has.
        var isNull = _arguments.Contains(null);
        return IsDocumented(error.GetType())
            || (error is ArgumentNullException && isNull)
            || (error is ArgumentException && _bad?.ParameterType is { IsEnum: true } type && !Enum.IsDefined(type, _arguments[_bad.Position]!))
            || (error is OperationCanceledException && _bad?.ParameterType == typeof(CancellationToken));
    }

    private bool IsDocumented(Type error) =>
        Documentation.ExceptionsOf(Documentation.Owner(_method)).Any(documented => documented.IsAssignableFrom(error));
}
