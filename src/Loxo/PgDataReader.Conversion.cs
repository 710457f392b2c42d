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
        Progress.Row => _session.Query.Result!.Shape!.MustBeMadeReadable,
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
        return AfterConversion(conversion, progress);
    }

    /// <summary>Makes them text.</summary>
    internal async ValueTask<Progress> ConvertAsync(Progress progress, CancellationToken token)
    {
        var conversion = new ReadableResults(_session);
        await _session.PumpAsync(conversion, _owner.TimeoutMilliseconds, token).ConfigureAwait(false);
        return AfterConversion(conversion, progress);
    }

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
