using Loxo.Session;
using Loxo.Transport;

namespace Loxo.Pool.Hosts;

/// <summary>The errors of a search for a host.</summary>
internal static class HostErrors
{
    /// <summary>No host serves. If all say the same, the error is theirs.</summary>
    public static Exception NotFound(
        HostGroup group, TargetSessionAttributes target, IReadOnlyDictionary<HostEndpoint, Exception> errors, LogNeed? need = null)
    {
        var inOrder = group.Hosts.Where(errors.ContainsKey).Select(host => errors[host]).ToList();
        if (inOrder.Count == group.Hosts.Length && (inOrder.Count == 1 || SaysTheSame(inOrder)))
            return inOrder[0];
        // A host that has told how far it is was reached, even if the last question to it took too long.
        var areUnreachable = inOrder.Count == group.Hosts.Length
            && (need is null || !group.Hosts.Any(static host => host.State.Log is not null));
        var hosts = string.Join("; ", group.Hosts.Select(host =>
            $"{host.State.Address}: {Describe(host.State, need, errors.GetValueOrDefault(host))}"));
        var message = need is not null
            ? $"No host that serves 'Target Session Attributes={target.Word()}' has replayed the log up to {need.Position}. {hosts}."
            : target == TargetSessionAttributes.Any
            ? $"No host could be connected to. {hosts}."
            : $"No suitable host was found for 'Target Session Attributes={target.Word()}'. {hosts}.";
        var code = areUnreachable ? CodeOf(inOrder) : PgErrorCode.NoSuitableHost;
        return new PgException(message, code, inOrder.Count == 0 ? null : new AggregateException(
            inOrder.Count == 1 ? "One host could not be connected to." : $"{inOrder.Count} hosts could not be connected to.",
            group.Hosts.Where(errors.ContainsKey).Select(host => new PgException($"{host.State.Address}: {errors[host].Message}",
                (errors[host] as PgException)?.Code ?? PgErrorCode.Unspecified, errors[host]))));
    }

    /// <summary>What is known of a host while an attempt to open a session is still under way.</summary>
    public static PgException Slow(HostAddress address) => new(
        $"{address} has not answered within {Staggered.Pause.TotalMilliseconds} ms, so that other hosts were tried as well.",
        PgErrorCode.Timeout);

    public static NotSupportedException Multiplexing() => new(
        "'Multiplexing=true' is not supported with several hosts or 'Target Session Attributes': commands that share sessions would have "
        + "to be moved between hosts. Leave out one of the two, or make a data source for each host.");

    private static bool SaysTheSame(List<Exception> errors) =>
        errors[0] is PostgresException { SqlState: var state }
        && errors.TrueForAll(error => error is PostgresException other && other.SqlState == state);

    private static PgErrorCode CodeOf(List<Exception> errors) =>
        errors[0] is PgException { Code: var code and not PgErrorCode.ServerError }
        && errors.TrueForAll(error => error is PgException other && other.Code == code)
            ? code
            : PgErrorCode.NoSuitableHost;

    private static string Describe(HostState state, LogNeed? need, Exception? error)
    {
        var (news, log) = (state.News, need is null ? null : state.Log);
        var role = news.Role switch
        {
            PgHostRole.ReadWritePrimary => "a primary",
            PgHostRole.ReadOnlyPrimary => "a primary that takes no writes",
            PgHostRole.Standby => "a standby",
            _ => null,
        };
        var failure = error?.Message.TrimEnd('.');
        if (role is null || (failure is not null && log is null))
            return failure ?? "its role is unknown";
        return string.Create(CultureInfo.InvariantCulture,
            $"{failure}{(failure is null ? "" : "; ")}it said {state.Age(news.Learnt).TotalSeconds:0.0} s ago that it is {role}")
            + (log is not null && news.Role == PgHostRole.Standby ? $" that has replayed up to {log.Position}" : "");
    }
}
