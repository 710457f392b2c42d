using System.Data;
using Loxo.Protocol;
using Loxo.Session;

namespace Loxo;

// Columns of types that are not known here (enums, composites, types of extensions), on the first run of a text: nobody knew yet that they
// have to be asked for as text.
public sealed partial class PgDataReader
{
    /// <summary>The command or batch whose results these are.</summary>
    internal IExecutable Owner => _owner;

    /// <summary>Where it runs.</summary>
    internal ServerSession Session => _session;

    /// <summary>As it was executed.</summary>
    internal CommandBehavior Behavior => _behavior;

    /// <summary>As it was executed with.</summary>
    internal CancellationToken ExecutionToken => _executionToken;

    /// <summary>Whether values that cannot be read must be made text before the result is entered.</summary>
    internal bool MustConvert(Progress progress) => progress switch
    {
        Progress.Row => _session.Query.Result!.Shape! is { MustBeMadeReadable: true } shape && (shape.HasUnreadable || _session.Types.HasCatalogue),
        Progress.ResultEnd => _session.Query.Result!.Shape!.HasUnknownTypes && _session.Types.HasCatalogue,
        _ => false,
    };

    /// <summary>Makes them text, blocking, if it has to be.</summary>
    internal Progress Readable(Progress progress)
    {
        if (!MustConvert(progress))
            return progress;
        var conversion = new ReadableResults(_session);
        _session.Pump(conversion, _owner.TimeoutMilliseconds);
        if (conversion.MustAskElsewhere)
            AskElsewhere(conversion);
        return AfterConversion(conversion, progress);
    }

    /// <summary>Makes them text.</summary>
    internal async ValueTask<Progress> ConvertAsync(Progress progress, CancellationToken token)
    {
        var conversion = new ReadableResults(_session);
        await _session.PumpAsync(conversion, _owner.TimeoutMilliseconds, token).ConfigureAwait(false);
        if (conversion.MustAskElsewhere)
            await AskElsewhereAsync(conversion, token).ConfigureAwait(false);
        return AfterConversion(conversion, progress);
    }

    // The answer is too large to be kept while this session asks. A session of its own may not be had; then the values are errors when they are read.
    private void AskElsewhere(ReadableResults conversion)
    {
        try
        {
            using var spare = SessionOpener.Open(_session.Context, _session.Context.Settings.OpenTimeout);
            spare.Pump(spare.Begin(owner: null, static (spare, reader) => reader.Lookup(spare), this), _owner.TimeoutMilliseconds);
            spare.End();
            conversion.Asked();
        }
        catch (Exception e) when (e is PgException or OperationCanceledException)
        {
        }
    }

    private async ValueTask AskElsewhereAsync(ReadableResults conversion, CancellationToken token)
    {
        try
        {
            using var spare = await SessionOpener.OpenAsync(_session.Context, _session.Context.Settings.OpenTimeout, token).ConfigureAwait(false);
            var lookup = await spare.BeginAsync(owner: null, static (spare, reader) => reader.Lookup(spare), this).ConfigureAwait(false);
            await spare.PumpAsync(lookup, _owner.TimeoutMilliseconds, token).ConfigureAwait(false);
            spare.End();
            conversion.Asked();
        }
        catch (Exception e) when (e is PgException or OperationCanceledException)
        {
        }
    }

    private TypeLookup Lookup(ServerSession spare) => new(spare, spare.TransactionStatus, [.. _session.Query.Result!.Shape!.UnknownTypes], []);

    // Values that cannot be converted are an error when they are read. A wish to stop is one now, and so is a result that should have been
    // asked for as text, for as long as no row has been handed out it can run again. The rest of the flight is in the buffer in these cases.
    private Progress AfterConversion(ReadableResults conversion, Progress progress)
    {
        if (conversion.Error is { } error && _session.StopReason != StopReason.None)
            _session.Query.Interrupt(error);
        else if (conversion.FlightError is { } flightError && WrongFormats.IsNoBinaryOutput(flightError))
            _session.Query.SkipResults = true;
        else
            return progress;
        return _session.AdvanceQuery();
    }
}
